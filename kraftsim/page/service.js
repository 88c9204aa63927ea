// Requests to the service. A token in the address (#token=...) is sent with each, and kept for the tab.

const TOKEN = "kraftsim-token";
const SILENT_MS = 3_000; // a service that runs answers a poll within it

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) sessionStorage.setItem(TOKEN, given);
  return sessionStorage.getItem(TOKEN);
}

export const hasToken = () => Boolean(token());
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

function silence({ name }) {
  const text = name === "TimeoutError" ? `The service has not answered for ${SILENT_MS / 1000} s: it is stopped, or busy.` : "The service does not answer: is kraftsim still running?";
  throw new Refused(0, text);
}

async function answer(path, options = {}) {
  const secret = token();
  const headers = { ...options.headers, ...(secret && { Authorization: `Bearer ${secret}` }) };
  const response = await fetch(path, { ...options, headers }).catch(silence);
  const document = await response.json().catch(silence);
  if (!response.ok) throw new Refused(response.status, document.message ?? response.statusText);
  return document;
}

export const get = (path, words = {}, options = {}) => {
  const query = new URLSearchParams(Object.entries(words).filter(([, value]) => value !== "" && value !== undefined));
  return answer(`${path}?${query}`, options);
};

// What a page asks again and again: a service that does not answer is given up, and asked again.
export const poll = (path, words) => get(path, words, { signal: AbortSignal.timeout(SILENT_MS) });

// Looks as long as `isOpen` returns true, with a pause after each look; a page that nobody sees does not.
export async function repeat(look, pauseMs, isOpen = () => true) {
  while (isOpen()) {
    if (!document.hidden) await look();
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}

export const post = (path, body = {}) =>
  answer(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
