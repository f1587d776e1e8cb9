import { createHmac, randomBytes } from 'node:crypto'

const secretPrefix = 'whsec_'
/** Length of a signing secret. Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

/**
 * Returns the headers that identify and sign a request (Standard Webhooks, symmetric signatures `v1`).
 *
 * @param clearTextSecrets the valid signing secrets. Each secret adds a signature, so that receivers can switch to a
 * new secret at any time.
 * @param id must not contain a dot, which separates the signed parts.
 */
export function signedHeaders(
  clearTextSecrets: readonly string[],
  { id, body, nowMs }: { id: string; body: Uint8Array; nowMs: number },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signatures = clearTextSecrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
