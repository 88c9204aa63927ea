// Keys of the page; `?` shows them.

import { isTurningPoint } from "./player.js";
import { isRecord, stepMessage } from "./controls.js";

export const KEYS = [
  ["space", "play or pause"], ["← →", "previous or next event"], ["[ ]", "previous or next turning point"],
  ["m M", "next or previous message"], ["r", "next record"], ["s", "one second on"], ["d", "next difference of branches"], ["/", "find an event"], ["b", "break something"],
  ["Escape", "close what is open"], ["?", "these keys"],
];

export function onKey(event, { player, actions }) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.("input, select, textarea");
  if (isTyping && event.key !== "Escape") return;
  const isButton = event.target.closest?.("button, summary, [role=button]");
  const keys = {
    " ": () => player.toggle(),
    ArrowRight: () => player.jump(1),
    ArrowLeft: () => player.jump(-1),
    "]": () => player.jump(1, isTurningPoint),
    "[": () => player.jump(-1, isTurningPoint),
    m: () => stepMessage(player, 1),
    M: () => stepMessage(player, -1),
    r: () => player.jump(1, isRecord),
    s: () => player.seek(player.us + 1_000_000),
    "/": () => document.getElementById("find")?.focus(),
    d: actions.nextDifference,
    b: actions.breakSomething,
    "?": actions.toggleHelp,
    Escape: actions.close,
  };
  if (!(event.key in keys) || (event.key === " " && isButton)) return;
  event.preventDefault();
  if (isTyping) event.target.blur(); // so that the next key is one of the page again
  keys[event.key]();
}
