import { createHmac } from 'node:crypto'
import { schemeOf } from '../../../../src/domain/webhooks/signature-scheme.ts'
import type { Signing } from '../command-line.ts'

/** Returns the headers with which the preset's sender signs this body. */
export function signatureHeaders(
  signing: Signing,
  { clearTextSecret, body, nowMs }: { clearTextSecret: string; body: Uint8Array; nowMs: number },
): Record<string, string> {
  const { header, signature, timestamp, method, encoding, before } = schemeOf(signing)
  const seconds = String(Math.floor(nowMs / 1_000))
  const code = createHmac(method, clearTextSecret)
    .update(before.replace('{timestamp}', seconds))
    .update(body)
    .digest(encoding)
  const signed = 'prefix' in signature ? `${signature.prefix}${code}` : `${signature.element}=${code}`
  if (timestamp === undefined) return { [header]: signed }
  if ('header' in timestamp) return { [timestamp.header]: seconds, [header]: signed }
  return { [header]: `${timestamp.element}=${seconds},${signed}` }
}
