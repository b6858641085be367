#include "bubble_page.hpp"

#include "chart.hpp"
#include "json_text.hpp"

#include <leat/bubble/trace.hpp>
#include <leat/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* style = R"css(
:root{--paper:#fff;--ink:#1c1f23;--faint:#5d6670;--rule:#d9dee4;--list:#f4f6f8;--now:#d9480f}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--faint:#98a2ad;--rule:#30363d;--list:#1d2126;--now:#ff8a4c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1200px;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif}
h1{font-size:1.5rem;margin:.3rem 0}h2{font-size:1.05rem;margin:1.4rem 0 .3rem}p{color:var(--faint);margin:.3rem 0;max-width:75ch}
#bar{position:sticky;top:0;background:var(--paper);padding:.5rem 0;border-bottom:1px solid var(--rule);z-index:2}
#bar div{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center}
button{font:inherit;padding:.2rem .7rem;border:1px solid var(--rule);border-radius:6px;background:var(--list);color:var(--ink);cursor:pointer}
input{flex:1 1 8rem;min-width:8rem;accent-color:var(--now)}#said{min-height:1.45em;font-variant-numeric:tabular-nums}
.place{border:1px solid var(--rule);border-radius:8px;padding:.25rem .35rem;flex:1 1 auto;min-width:3.2rem;background:var(--paper)}
.place>small{color:var(--faint);display:block;font-size:.72rem;white-space:nowrap}
.place.now{border-color:var(--now);box-shadow:0 0 0 1px var(--now)}
.list{display:flex;flex-wrap:wrap;gap:.2rem;min-height:1.7rem;background:var(--list);border-radius:5px;padding:.15rem}
.in{display:flex;flex-wrap:wrap;gap:.35rem;margin-top:.3rem}
.bubble{display:inline-flex;flex-wrap:wrap;gap:.15rem;align-items:center;border:2px solid var(--of);border-radius:1rem;padding:0 .4rem;
font-size:.75rem;line-height:1.25rem;background:color-mix(in srgb,var(--of) 28%,var(--paper));font-variant-numeric:tabular-nums}
.bubble.burst{background:none;border-style:dashed}.bubble.recalled{background:none;border-style:dotted}
.bubble.now{outline:2px solid var(--now);outline-offset:1px}
#key,#sides{display:flex;flex-wrap:wrap;gap:.3rem 1rem;color:var(--faint);font-size:.85rem}
#time{overflow-x:auto}svg{width:100%;min-width:640px;display:block;touch-action:manipulation;cursor:pointer}svg text{font:11px system-ui,sans-serif;fill:var(--faint)}
)css";

constexpr const char* script = R"js(
const hues=['#2a6fdb','#d9822b','#2f9e63','#c03b5b','#7b55c7','#0f8b9d','#8a6d3b','#b13ab0'];
const words={inserted:'is put into',woken:'is woken, and lies on the list of',released:'is released to the list of',
down:'goes down to the list of',burst:'bursts in',moved:'moves for an idle unit, to',widened:'is widened for an idle unit, to',
sliced:'has used up its slice, in',recalled:'is recalled: what it released comes back, from',closed:'is closed, for the list of',ended:'has ended'};
const el=(tag,name,into)=>{const e=document.createElement(tag);if(name)e.className=name;if(into)into.append(e);return e};
const id=i=>document.getElementById(i);
const places=D.places.map(([kind,parent,index,first,units],n)=>({kind,parent,index,first,units,n,children:[]}));
places.forEach(p=>{if(p.n)places[p.parent].children.push(p)});
const label=p=>p.n?p.kind+' '+p.index:p.kind;
function draw(p,into){
  p.box=el('div','place',into);el('small','',p.box).textContent=label(p);p.list=el('div','list',p.box);
  if(p.children.length){const row=el('div','in',p.box);p.children.forEach(c=>draw(c,row))}}
draw(places[0],id('machine'));
let last=0;const count=D.events.reduce((m,e)=>Math.max(m,e[2]),-1)+1;
const bubbles=Array.from({length:count},(_,n)=>({n}));
const seen=[...D.events];const root=b=>{while(b.holder!=null)b=bubbles[b.holder];return b.n};
function reset(){bubbles.forEach(b=>{b.holder=null;b.at=null;b.phase='filling';b.threads=0})}
function apply([ns,what,n,other,at,threads]){
  const b=bubbles[n];b.threads=threads;
  if(what=='inserted')b.holder=other;
  else if(what=='woken'||what=='released'){b.at=at;b.phase='closed'}
  else if(what=='down'||what=='widened')b.at=at;
  else if(what=='burst'){b.at=at;b.phase='burst'}
  else if(what=='recalled'){b.phase='recalled';bubbles.forEach(c=>{if(c.holder==n&&c.phase=='closed')c.at=null})}
  else if(what=='closed'){b.phase='closed';const h=b.holder==null?null:bubbles[b.holder];b.at=h&&h.phase!='burst'?null:at}
  else if(what=='ended'){b.phase='ended';b.at=null}}
reset();seen.forEach(apply);
const groups=new Map();bubbles.forEach(b=>{const inner=bubbles.some(c=>c.holder==b.n);b.top=b.holder==null?b.n:b.holder;b.outer=b.holder==null&&inner});
bubbles.forEach(b=>{let t=b;while(t.holder!=null&&bubbles[t.holder].holder!=null)t=bubbles[t.holder];
  if(!groups.has(t.n))groups.set(t.n,groups.size);b.hue=b.outer?'var(--faint)':hues[groups.get(t.n)%hues.length]});
bubbles.forEach(b=>{b.chip=el('span','bubble');b.chip.style.setProperty('--of',b.hue);b.text=el('span','',b.chip)});
const us=ns=>(ns/1000).toLocaleString('en',{maximumFractionDigits:1})+' \u00b5s';
let k=0,timer=null;
function show(next,moving){
  const was=moving?bubbles.map(b=>b.chip.isConnected?b.chip.getBoundingClientRect():null):null;
  reset();k=Math.max(0,Math.min(seen.length,next));for(let i=0;i<k;++i)apply(seen[i]);
  const e=k?seen[k-1]:null;
  bubbles.forEach(b=>{
    b.text.textContent=b.n+(b.threads?' \u00b7 '+b.threads:'');
    b.chip.className='bubble '+b.phase+(e&&e[2]==b.n?' now':'');
    const h=b.holder==null?null:bubbles[b.holder];
    if(b.phase=='ended'||(b.at==null&&(!h||h.phase=='ended'||h.phase=='filling')))b.chip.remove();
    else(b.at==null?h.chip:places[b.at].list).append(b.chip)});
  places.forEach(p=>p.box.classList.toggle('now',!!e&&e[1]!='inserted'&&e[1]!='ended'&&p.n==e[4]));
  if(moving)bubbles.forEach((b,i)=>{if(!was[i]||!b.chip.isConnected)return;const r=b.chip.getBoundingClientRect();
    const x=was[i].left-r.left,y=was[i].top-r.top;
    if(x||y)b.chip.animate([{transform:`translate(${x}px,${y}px)`},{transform:'none'}],{duration:250,easing:'ease-out'})});
  id('said').textContent=!e?'Nothing has happened yet.':`${k} of ${seen.length}, ${us(e[0])}: bubble ${e[2]} ${words[e[1]]}`+
    (e[1]=='inserted'?' bubble '+e[3]:e[1]=='ended'?'':' '+label(places[e[4]]))+'.';
  id('at').value=k;const line=id('line');const x=e?X(e[0]):X(0);line.setAttribute('x1',x);line.setAttribute('x2',x)}
function stop(){clearInterval(timer);timer=null;id('play').textContent='Play'}
id('play').onclick=()=>{if(timer)return stop();if(k==seen.length)show(0);id('play').textContent='Pause';
  timer=setInterval(()=>{if(k==seen.length)stop();else show(k+1,true)},350)};
id('back').onclick=()=>{stop();show(k-1,true)};id('on').onclick=()=>{stop();show(k+1,true)};
id('at').max=seen.length;id('at').oninput=e=>{stop();show(+e.target.value)};
document.onkeydown=e=>{if(e.target.id=='at')return;if(e.key=='ArrowLeft')id('back').click();if(e.key=='ArrowRight')id('on').click()};
// Where each was over time: the colour is that of the domain beneath the machine.
const wide=1000,left=36,row=16,end=Math.max(1,seen.length?seen[seen.length-1][0]:1);
const X=ns=>left+(wide-left-4)*ns/end;
const side=at=>{let p=places[at];if(!p.n)return null;while(p.parent!=0)p=places[p.parent];return places[0].children.indexOf(p)};
function timeline(){
  reset();const open=bubbles.map(()=>null),out=[];
  const tint=b=>{if(b.at==null||b.phase=='ended')return null;const s=side(b.at);
    return{fill:s==null?'var(--faint)':hues[s%hues.length],opacity:b.phase=='burst'?1:.4,key:s+b.phase}};
  const close=(n,ns)=>{const o=open[n];if(o)out.push(`<rect x="${o.x}" y="${n*row+2}" width="${Math.max(.6,X(ns)-o.x)}" height="${row-5}"`+
    ` rx="2" style="fill:${o.fill};opacity:${o.opacity}"/>`);open[n]=null};
  seen.forEach(e=>{apply(e);for(const b of[bubbles[e[2]],...bubbles.filter(c=>c.holder==e[2])]){const t=tint(b);
    if(t?.key===open[b.n]?.key)continue;close(b.n,e[0]);if(t)open[b.n]={...t,x:X(e[0])}}});
  bubbles.forEach(b=>close(b.n,end));
  const high=count*row+18;
  id('time').innerHTML=`<svg viewBox="0 0 ${wide} ${high}">`+bubbles.map(b=>`<text x="0" y="${b.n*row+11}">${b.n}</text>`).join('')+out.join('')+
   `<text x="${left}" y="${high-3}">0</text><text x="${wide-4}" y="${high-3}" text-anchor="end">${us(end)}</text>`+
   `<line id="line" y1="0" y2="${count*row}" style="stroke:var(--now);stroke-width:2"/></svg>`;
  id('time').firstChild.onclick=ev=>{const box=id('time').firstChild.getBoundingClientRect();
    const ns=((ev.clientX-box.left)/box.width*wide-left)/(wide-left-4)*end;stop();show(seen.filter(e=>e[0]<=ns).length)};
  id('sides').replaceChildren();places[0].children.forEach((c,i)=>{const s=el('span','bubble',id('sides'));
    s.style.setProperty('--of',hues[i%hues.length]);s.textContent=label(c)})}
timeline();show(seen.length>>1);
)js";

constexpr const char* body =
    R"html(<p>The machine is its domains, one inside the other; each has a list. A bubble is a number, with the threads in it
that have not ended. A unit takes what lies on the lists of the domains that it is in.</p>
<div id="bar"><div><button id="back" aria-label="One event back">&#8592;</button><button id="play">Play</button>
<button id="on" aria-label="One event on">&#8594;</button><input id="at" type="range" min="0" value="0" aria-label="Event"></div>
<div id="said" aria-live="polite"></div></div>
<h2>Where they are</h2>
<div id="key"><span><span class="bubble" style="--of:var(--faint)">1</span> closed: it holds its members</span>
<span><span class="bubble burst" style="--of:var(--faint)">1</span> burst: its members are on this list, or execute</span>
<span><span class="bubble recalled" style="--of:var(--faint)">1</span> recalled: they come back</span></div>
<div id="machine"></div>
<h2>Where they were over time</h2>
<p>A row for each bubble; pale while it is closed. Grey is the whole machine.</p><div id="sides"></div>
<div id="time"></div>
)html";

void expect(bool good, const char* list, std::size_t at, const ordered_json& found) {
  if (!good) throw std::invalid_argument(fmt::format("{}[{}] = {}: is none", list, at, found.dump()));
}

bool below(const ordered_json& number, std::size_t end) {
  return number.is_number_unsigned() && number.get<std::uint64_t>() < end;
}

void check_places(const ordered_json& places) {
  if (!places.is_array() || places.empty()) throw std::invalid_argument("places: must be a list of at least one");
  for (std::size_t n = 0; n < places.size(); ++n) {
    const ordered_json& p = places[n];  // kind, parent, index, first unit, units
    constexpr std::size_t members = 5;
    const bool good = p.is_array() && p.size() == members && p[0].is_string() &&
                      below(p[1], std::max<std::size_t>(n, 1)) &&
                      std::all_of(p.begin() + 2, p.end(), [](const auto& m) { return m.is_number_unsigned(); });
    expect(good, "places", n, p);
  }
}

void check_events(const ordered_json& events, std::size_t places) {
  constexpr std::size_t bubbles_max = 1'000'000, members = 6;
  if (!events.is_array()) throw std::invalid_argument("events: must be a list");
  std::map<std::uint64_t, std::uint64_t> holders;
  for (std::size_t n = 0; n < events.size(); ++n) {
    const ordered_json& e = events[n];  // ns, what, bubble, another one, place, threads
    const bool good = e.is_array() && e.size() == members && e[0].is_number_unsigned() && e[1].is_string() &&
                      std::ranges::count(bubbles::incident_names, e[1].get<std::string>()) == 1 &&
                      below(e[2], bubbles_max) && (e[3].is_null() || below(e[3], bubbles_max)) && below(e[4], places) &&
                      e[5].is_number_unsigned();
    expect(good, "events", n, e);
    if (e[1] != bubbles::incident_names[static_cast<std::size_t>(bubbles::incident::inserted)]) continue;
    expect(!e[3].is_null(), "events", n, e);
    const auto inner = e[2].get<std::uint64_t>();
    holders[inner] = e[3].get<std::uint64_t>();
    std::uint64_t around = inner;
    for (auto h = holders.find(around); h != holders.end(); h = holders.find(around)) {
      around = h->second;
      expect(around != inner, "events", n, e);  // it would be in itself
    }
  }
}

ordered_json checked(const std::string& trace, const std::string& file) {
  try {
    ordered_json data = parsed(trace);
    if (!data.is_object() || !data.contains("bubble_trace") || !data.contains("places") || !data.contains("events"))
      throw std::invalid_argument("it has no bubble_trace, places and events");
    check_places(data["places"]);
    check_events(data["events"], data["places"].size());
    if (data.contains("left_out") && !data["left_out"].is_number_unsigned())
      throw std::invalid_argument(fmt::format("left_out = {}: must be a count", data["left_out"].dump()));
    return data;
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(
        fmt::format("{}: no trace of bubbles, as leat sim mesh --trace FILE writes one: {}", file, e.what()));
  }
}

}  // namespace

std::string bubble_page(const std::string& trace, const std::string& file) {
  const ordered_json data = checked(trace, file);
  const std::string title = data["bubble_trace"].is_string() ? data["bubble_trace"].get<std::string>() : "";
  const auto left_out = data.value("left_out", std::uint64_t{0});
  const std::string text = script_text(data);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>leat: bubbles over time</title><style>{}</style></head>\n<body>\n<h1>Bubbles over time</h1>\n"
      "<p>{}, leat {}{}</p>\n{}<script>\nconst D={};\n{}</script>\n</body></html>\n",
      style, escaped(title), version(),
      left_out == 0 ? "" : fmt::format("; {} later events are not here, as there was no room", left_out), body, text,
      script);
}

}  // namespace leat::cli
