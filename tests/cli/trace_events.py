"""The rules of the trace-event format, as Perfetto reads it."""

import math


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _of_one_event(event):
    """What is wrong with an event on its own; None if nothing is."""
    if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
        return "no phase"
    if not isinstance(event.get("pid"), int) or not isinstance(event.get("tid"), int):
        return "no process or no thread"
    if event["ph"] == "M":
        known = {"process_name": "name", "thread_name": "name", "thread_sort_index": "sort_index"}
        what = known.get(event.get("name"))
        return None if what and what in event.get("args", {}) else "a name of nothing"
    if event["ph"] not in "BEX":
        return "an unknown phase"
    if not _number(event.get("ts")):
        return "no time"
    if event["ph"] != "E" and not event.get("name"):
        return "no name"
    if event["ph"] == "X" and not _number(event.get("dur")):
        return "no duration"
    return None


def faults(events):
    """What is against the rules: times of a thread go backwards, an end without its begin, a begin without its end, or an end of
    another name; whole events that overlap without one being in the other."""
    found = []
    last, open_ones, whole = {}, {}, {}
    for number, event in enumerate(events):
        wrong = _of_one_event(event)
        if wrong:
            found.append(f"event {number}: {wrong}")
            continue
        if event["ph"] == "M":
            continue
        thread = (event["pid"], event["tid"])
        if event["ts"] < last.get(thread, 0):
            found.append(f"event {number}: earlier than the one before")
        last[thread] = event["ts"]
        stack = open_ones.setdefault(thread, [])
        if event["ph"] == "B":
            stack.append(event["name"])
        elif event["ph"] == "E":
            if not stack:
                found.append(f"event {number}: an end without a begin")
            elif event.get("name", stack[-1]) != stack.pop():
                found.append(f"event {number}: the end of another one")
        else:
            around = whole.setdefault(thread, [])
            while around and around[-1] <= event["ts"]:
                around.pop()
            if around and event["ts"] + event["dur"] > around[-1]:
                found.append(f"event {number}: overlaps another one")
            around.append(event["ts"] + event["dur"])
    found += [f"thread {thread}: {len(stack)} begun and not ended" for thread, stack in open_ones.items() if stack]
    return found


def spans(events):
    """(name, begin, end) of all pairs that are in no other, by the name of their thread."""
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    of_thread = {name: [] for name in names.values()}
    begun = {}
    for event in events:
        thread = (event["pid"], event["tid"])
        if event["ph"] == "B":
            begun[thread] = event
        elif event["ph"] == "E":
            of_thread[names[thread]].append((begun[thread]["name"], begun[thread]["ts"], event["ts"]))
    return of_thread
