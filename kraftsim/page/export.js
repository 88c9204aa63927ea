// A page that was exported has its lesson in itself: compressed JSON in Base64. The service writes it.

import { post } from "./service.js";

export const FORMATS = [["html", "HTML file"], ["perfetto", "Perfetto trace"], ["shiviz", "ShiViz log"]];

export async function readExport() {
  const element = document.getElementById("export");
  if (!element) return undefined;
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

// Saves what an address of the page shows as a file.
export async function save(address, format) {
  const { name, text } = await post("/v1/lessons/export", { link: address, format });
  const url = URL.createObjectURL(new Blob([text]));
  const anchor = Object.assign(document.createElement("a"), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return name;
}
