/**
 * Sends one file to the server, with its progress and a way to stop it.
 *
 * Uses XMLHttpRequest, since `fetch` reports no upload progress. The caller judges the answer.
 */

/**
 * @typedef {object} Way
 * @property {(part: number) => void} [onProgress] gets the share that has been sent, from 0 to 1
 * @property {AbortSignal} [signal] stops it; the promise is then rejected with the signal's reason
 */

/**
 * @param {string} url
 * @param {Blob} file
 * @param {Record<string, string>} headers
 * @param {Way} way
 * @param {"POST" | "PATCH"} [method]
 * @returns {Promise<{ status: number, envelope: any, retryAfter: string | null }>} `status` is 0 without an answer
 */
export function sendFile(url, file, headers, { onProgress, signal }, method = "POST") {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
    request.onabort = () => reject(signal?.reason);
    request.onloadend = () => {
      signal?.removeEventListener("abort", stop);
      const retryAfter = request.getResponseHeader("Retry-After");
      resolve({ status: request.status, envelope: parsed(request.responseText), retryAfter });
    };
    signal?.addEventListener("abort", stop);
    request.send(file);
  });
}

function parsed(/** @type {string} */ text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
