/**
 * Returns the URL of the runtime link. Accepts the gateway's URL, such as `https://hooks.example.com`, or the URL of
 * the link itself, such as `wss://hooks.example.com/runtime`.
 *
 * @throws TypeError if it is neither.
 */
export function linkAddress(given: string | URL): URL {
  if (!URL.canParse(String(given)))
    throw new TypeError(`"${given}" is not a URL; pass the gateway's, such as https://hooks.example.com`)
  const address = new URL(given)
  if (!/^(https?|wss?):$/.test(address.protocol)) {
    throw new TypeError(
      `The gateway's URL must start with https:// or wss:// (or http:// or ws://), not ${address.protocol}//`,
    )
  }
  address.protocol = address.protocol.replace('http', 'ws')
  if (!address.pathname.endsWith('/runtime')) address.pathname = `${address.pathname.replace(/\/$/, '')}/runtime`
  return address
}
