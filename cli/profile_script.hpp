// The style and the script that draw a profile's page in the browser.

#pragma once

namespace leat::cli {

inline constexpr const char* profile_style = R"css(
:root{--paper:#fff;--ink:#1c1f23;--faint:#5d6670;--rule:#d9dee4;--list:#f4f6f8;--now:#d9480f;
--r:#2a6fdb;--a:#7b55c7;--b:#0f8b9d;--w:#d9822b;--y:#f0c48f;--s:#d64545;--z:#c9d0d8;--o:#f4f6f8}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--faint:#98a2ad;--rule:#30363d;--list:#1d2126;--now:#ff8a4c;
--r:#4f8ff0;--a:#9a7ae0;--b:#2aa7b8;--w:#e09a4d;--y:#7d6038;--s:#e06666;--z:#4a525b;--o:#1d2126}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1200px;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif}
h1{font-size:1.5rem;margin:.3rem 0;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:1.4rem 0 .3rem}
p{color:var(--faint);margin:.3rem 0;max-width:75ch}
ol{list-style:none;margin:.5rem 0;padding:0}ol li{display:flex;gap:.8rem;padding:.45rem 0;border-top:1px solid var(--rule)}
ol b{flex:0 0 4.2rem;text-align:right;font-size:1.15rem;font-variant-numeric:tabular-nums;color:var(--now)}ol small{color:var(--faint);display:block}
#bar{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.5rem 0}
button{font:inherit;padding:.2rem .7rem;border:1px solid var(--rule);border-radius:6px;background:var(--list);color:var(--ink);cursor:pointer}
#said{min-height:1.45em;font-variant-numeric:tabular-nums;color:var(--faint);font-size:.9rem}
canvas{width:100%;display:block;touch-action:pan-y;cursor:grab}
#key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem;color:var(--faint);margin:.3rem 0}
#key i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.35em;border:1px solid var(--rule)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;white-space:nowrap}
th,td{text-align:right;padding:.2rem .6rem;border-bottom:1px solid var(--rule)}th:first-child,td:first-child{text-align:left}th{color:var(--faint);font-weight:500}
)css";

// D: letters, names, end_ns, workers as {name, at, what: letters, ns: lengths}.
inline constexpr const char* profile_script = R"js(
const id=i=>document.getElementById(i),canvas=id('times'),pen=canvas.getContext('2d');
const unit=ns=>ns<1e3?[1,'ns']:ns<1e6?[1e3,'\u00b5s']:ns<1e9?[1e6,'ms']:[1e9,'s'];
const time=(ns,of=ns)=>{const [by,name]=unit(of);return(ns/by).toLocaleString('en',{maximumFractionDigits:of/by<10?2:1})+' '+name};
const order=[...'rabwysz'],name=Object.fromEntries([...D.letters].map((l,i)=>[l,D.names[i]]));
const rows=D.workers.map(w=>{const from=new Float64Array(w.ns.length+1);let at=from[0]=w.at;w.ns.forEach((ns,i)=>from[i+1]=at+=ns);return{...w,from}});
const END=Math.max(1,D.end_ns),LEAST=Math.min(END,200);let lo=0,hi=END,wide=0,left=0;
const axis=22,high=()=>rows.length>16?14:rows.length>8?20:28;
const first=(from,t)=>{let a=0,b=from.length-1;while(a<b){const m=a+b+1>>1;if(from[m]<=t)a=m;else b=m-1}return a};
function colours(){const css=getComputedStyle(document.documentElement);
  return Object.fromEntries([...D.letters,'ink','faint','rule','paper'].map(l=>[l,css.getPropertyValue('--'+l).trim()]))}
// Each column of pixels is divided by the share of each activity, so that many short intervals still show.
function draw(){
  const c=colours(),ratio=devicePixelRatio||1,h=high(),tall=axis+rows.length*(h+4);
  wide=canvas.clientWidth;left=Math.min(110,wide*.2);canvas.style.height=tall+'px';canvas.width=wide*ratio;canvas.height=tall*ratio;
  pen.setTransform(ratio,0,0,ratio,0,0);pen.clearRect(0,0,wide,tall);pen.font='11px system-ui,sans-serif';
  const columns=Math.max(1,Math.floor((wide-left)*ratio)),per=(hi-lo)/columns,share=new Float64Array(columns*8);
  const by=step((hi-lo)/Math.max(3,(wide-left)/110));pen.textAlign='center';
  for(let t=Math.ceil(lo/by)*by;t<=hi;t+=by){const x=left+(t-lo)/(hi-lo)*(wide-left);pen.fillStyle=c.rule;pen.fillRect(x,axis-5,1,tall);
    pen.fillStyle=c.faint;if(x<wide-22&&x>left+14)pen.fillText(time(t,hi),x,11)}
  rows.forEach((w,n)=>{
    const top=axis+n*(h+4);share.fill(0);
    for(let i=first(w.from,lo);i<w.ns.length&&w.from[i]<hi;++i){
      const l=D.letters.indexOf(w.what[i]),a=Math.max(0,(w.from[i]-lo)/per),b=Math.min(columns,(w.from[i+1]-lo)/per);
      if(b<=a)continue;let k=Math.floor(a);const last=Math.min(columns-1,Math.floor(b));
      for(;k<=last;++k)share[k*8+l]+=Math.min(b,k+1)-Math.max(a,k)}
    pen.textAlign='left';pen.fillStyle=c.ink;pen.fillText(w.name,0,top+h/2+4,left-4);
    pen.fillStyle=c.o;pen.fillRect(left,top,wide-left,h);
    for(let k=0;k<columns;++k){let y=top+h;for(const l of order){const part=share[k*8+D.letters.indexOf(l)]*h;
      if(part<.05)continue;pen.fillStyle=c[l];pen.fillRect(left+k/ratio,y-part,1/ratio+.2,part);y-=part}}})}
function step(least){const ten=10**Math.floor(Math.log10(least));return[1,2,5,10].map(n=>n*ten).find(n=>n>=least)}
function show(a,b){const w=Math.min(END,Math.max(LEAST,b-a));lo=Math.min(Math.max(0,a),END-w);hi=lo+w;
  id('span').textContent=time(lo,hi)+' to '+time(hi);requestAnimationFrame(draw)}
const at=e=>lo+(e.clientX-canvas.getBoundingClientRect().left-left)/Math.max(1,wide-left)*(hi-lo);
const zoom=(t,by)=>show(t-(t-lo)*by,t+(hi-t)*by),middle=()=>(lo+hi)/2;
id('in').onclick=()=>zoom(middle(),.5);id('out').onclick=()=>zoom(middle(),2);id('all').onclick=()=>show(0,END);
id('back').onclick=()=>show(lo-(hi-lo)/2,hi-(hi-lo)/2);id('on').onclick=()=>show(lo+(hi-lo)/2,hi+(hi-lo)/2);
canvas.addEventListener('wheel',e=>{if(e.ctrlKey||e.metaKey||e.shiftKey||!e.deltaY){if(!e.deltaY)return}
  e.preventDefault();zoom(at(e),e.deltaY<0?.8:1.25)},{passive:false});
const down=new Map();let moved=false;
canvas.onpointerdown=e=>{canvas.setPointerCapture(e.pointerId);down.set(e.pointerId,e);moved=false};
canvas.onpointerup=canvas.onpointercancel=e=>{down.delete(e.pointerId)};
canvas.onpointermove=e=>{
  const old=down.get(e.pointerId);
  if(old&&down.size==1){const by=at(old)-at(e);if(by)moved=true;show(lo+by,hi+by)}
  else if(old&&down.size==2){const other=[...down.values()].find(o=>o.pointerId!=e.pointerId);
    const a=Math.abs(at(old)-at(other)),b=Math.abs(at(e)-at(other));if(b>0)zoom(at(other),Math.min(2,Math.max(.5,a/b)))}
  if(old)down.set(e.pointerId,e);tell(e)};
function tell(e){
  const n=Math.floor((e.clientY-canvas.getBoundingClientRect().top-axis)/(high()+4)),w=rows[n],t=at(e);
  if(!w||t<lo||t>hi||t<w.at||!w.ns.length||t>=w.from[w.ns.length]){id('said').textContent='';return}
  const i=first(w.from,t);id('said').textContent=`${w.name} at ${time(t)}: ${name[w.what[i]]} for ${time(w.ns[i])}`}
document.onkeydown=e=>{const key={ArrowLeft:'back',ArrowRight:'on','+':'in','-':'out','0':'all'}[e.key];
  if(key&&!e.ctrlKey&&!e.metaKey&&!e.altKey)id(key).click()};
addEventListener('resize',draw);matchMedia('(prefers-color-scheme:dark)').addEventListener('change',draw);show(0,END);
)js";

}  // namespace leat::cli
