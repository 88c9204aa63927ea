// The address of the page holds what is shown: lesson, seed, time, and every open branch with its
// release and acts. It begins with a check sum of its words, so that a link that lost its end is
// recognised; one without a check sum was written by hand. `kraftsim/lessons/link.py` reads the same.

const SUM = "sum";
const OFFSET_BASIS = 0x811c9dc5; // of FNV-1a with 32 bits
const PRIME = 0x01000193;
const CUT = "This link is damaged: its end is missing, or a part of it was changed. Ask its sender for the whole link.";

// The check sum of every word but `sum`, in eight hexadecimal digits.
function sumOf(words) {
  const text = [...words].filter(([word]) => word !== SUM).map(([word, value]) => `${word}=${value}\n`).join("");
  const bytes = new TextEncoder().encode(text);
  const hash = bytes.reduce((sum, byte) => Math.imul(sum ^ byte, PRIME), OFFSET_BASIS);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

const damaged = (word, expected, got) => new Error(`This link is damaged: expected ${word} as ${expected}, got ${JSON.stringify(got).slice(0, 60)}`);

export function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (words.has(SUM) && words.get(SUM) !== sumOf(words)) throw new Error(CUT);
  const name = words.get("lesson");
  if (!name) return undefined;
  const given = words.has("branches") ? documents(words, "branches") : [{ profile: words.get("profile") ?? "", acts: documents(words, "acts") }];
  const branches = given.map(({ profile = "", acts = [] }) => ({ profile: String(profile), acts: readActs(acts) }));
  if (!branches.length) throw damaged("branches", "at least one branch", "[]");
  return {
    name,
    seed: String(number(words, "seed", 17)),
    us: number(words, "t"),
    branches,
    active: index(number(words, "active", 0), "active", branches),
    beside: (words.get("beside") ?? "").split(",").filter(Boolean).map((text) => index(Number(text), "beside", branches)),
  };
}

function number(words, word, otherwise) {
  const text = words.get(word);
  if (text === null) return otherwise;
  if (!/^\d{1,15}$/.test(text)) throw damaged(word, "a whole number", text);
  return Number(text);
}

function documents(words, word) {
  const text = words.get(word) ?? "[]";
  try {
    const found = JSON.parse(text);
    if (Array.isArray(found) && found.every((item) => item && typeof item === "object" && !Array.isArray(item))) return found;
  } catch {
    // said below
  }
  throw damaged(word, "an array of objects in JSON", text);
}

function readActs(acts) {
  if (!Array.isArray(acts) || !acts.every((act) => typeof act?.at === "string")) throw damaged("acts", "an array of steps, each with a time (at)", acts);
  return acts;
}

function index(value, word, branches) {
  if (!Number.isInteger(value) || value < 0 || value >= branches.length) throw damaged(word, `the number of a branch, 0 to ${branches.length - 1}`, value);
  return value;
}

const short = ({ profile, acts }) => ({ ...(profile && { profile }), ...(acts.length && { acts }) });

export function addressOf({ name, seed, us, branches, active, beside }) {
  const words = new URLSearchParams({ lesson: name, seed });
  const [{ profile, acts }] = branches;
  if (branches.length > 1) {
    words.set("branches", JSON.stringify(branches.map(short)));
    words.set("active", active);
  } else {
    if (profile) words.set("profile", profile);
    if (acts.length) words.set("acts", JSON.stringify(acts));
  }
  if (beside.length) words.set("beside", beside.join(","));
  words.set("t", Math.round(us));
  return `#${SUM}=${sumOf(words)}&${words}`;
}

// The address of a lesson without branches, at its begin.
export const lessonLink = (name, seed = 17) => ({ name, seed: String(seed), branches: [{ profile: "", acts: [] }], active: 0, beside: [] });
