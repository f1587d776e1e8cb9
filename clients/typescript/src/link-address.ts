/**
 * Returns the URL of the runtime link. Accepts the gateway's URL, such as `https://hooks.example.com`, or the link's
 * own, such as `wss://hooks.example.com/runtime`.
 *
 * @throws TypeError if it is neither.
 */
export function linkAddress(given: string | URL): URL {
  if (!URL.canParse(String(given)))
    throw new TypeError(`"${given}" is no URL; give the gateway's, such as https://hooks.example.com`)
  const address = new URL(given)
  if (!/^(https?|wss?):$/.test(address.protocol)) {
    throw new TypeError(
      `the gateway is reached by https:// or wss:// (or http:// and ws://), not by ${address.protocol}//`,
    )
  }
  address.protocol = address.protocol.replace('http', 'ws')
  if (!address.pathname.endsWith('/runtime')) address.pathname = `${address.pathname.replace(/\/$/, '')}/runtime`
  return address
}
