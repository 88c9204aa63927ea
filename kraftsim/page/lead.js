// A class: the instructor brings every page to a place in a lesson, and releases it again.

import { get, hasToken, post } from "./service.js";

const PERIOD_MS = 2_000;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

// True on the machine of the service and for those who have its token.
export const maySteer = () => LOOPBACK.has(location.hostname) || hasToken();
export const steer = (place) => post("/sim/lessons/steer", { place });
export const release = () => post("/sim/lessons/release");
export const predict = (choice) => post("/v1/lessons/predict", { choice }).catch(() => undefined);

// Calls `onLead` with the place of the class as long as the page is open. A service that does not
// answer is no failure of the page.
export function followLead(onLead) {
  setInterval(() => get("/v1/lessons/lead").then(onLead, () => undefined), PERIOD_MS);
}
