/**
 * Sends JSON to a Halyard server and returns the response.
 * @param {string | URL} url
 * @param {string} token
 * @param {object} body
 * @returns {Promise<Record<string, unknown>>}
 */
export async function post(url, token, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return /** @type {Record<string, unknown>} */ (await answer.json());
}
