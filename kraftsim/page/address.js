// The address of the page holds what is shown: lesson, seed, profile, acts and time.

export function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const name = words.get("lesson");
  if (!name) return undefined;
  return {
    branch: { name, seed: words.get("seed") ?? 17, profile: words.get("profile") ?? "", acts: readActs(words.get("acts") ?? "[]") },
    us: /^\d+$/.test(words.get("t") ?? "") ? Number(words.get("t")) : undefined,
  };
}

function readActs(text) {
  try {
    const acts = JSON.parse(text);
    if (Array.isArray(acts)) return acts;
  } catch {
    // said below
  }
  throw new Error(`This link is damaged: expected its acts as an array in JSON, got ${text.slice(0, 60)}`);
}

export function addressOf({ name, seed, profile, acts }, us) {
  const words = new URLSearchParams({ lesson: name, seed });
  if (profile) words.set("profile", profile);
  if (acts.length) words.set("acts", JSON.stringify(acts));
  words.set("t", Math.round(us));
  return `#${words}`;
}
