// Requests to the service. A token in the address (#token=...) is sent with each, and kept for the tab.

const TOKEN = "kraftsim-token";

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

async function answer(path, options = {}) {
  const secret = token();
  const headers = { ...options.headers, ...(secret && { Authorization: `Bearer ${secret}` }) };
  const response = await fetch(path, { ...options, headers }).catch(() => {
    throw new Refused(0, "The service does not answer: is kraftsim still running?");
  });
  const document = await response.json();
  if (!response.ok) throw new Refused(response.status, document.message ?? response.statusText);
  return document;
}

export const get = (path, words = {}) => {
  const query = new URLSearchParams(Object.entries(words).filter(([, value]) => value !== "" && value !== undefined));
  return answer(`${path}?${query}`);
};

export const post = (path, body = {}) =>
  answer(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
