import type { BotFaultReason } from '../domain/bots/bot-refusal.ts'
import { queueFullRetryAfterSeconds, statusNoticeMaxCharacters } from '../domain/limits/limits.ts'
import type { DeliveryLogRefusalReason } from '../domain/webhooks/event-actions.ts'
import { invalidBody, type MemberFault, Problem } from './problem.ts'

/** The response to a refusal, before it becomes a problem document. */
export interface WireError {
  status: 400 | 403 | 404 | 409 | 429 | 503
  /** JSON pointer into the body. Absent if the fault is not in the body. */
  pointer?: string
  detail: string
  /** Value of `Retry-After`. By default 60 for status 429, and 1 for 503. */
  retryAfterSeconds?: number
}

/**
 * Combines the responses to one refusal into a problem. Returns `undefined` if one of them is missing, because the
 * refusal is then an internal error.
 */
export function problemOf(errors: readonly (WireError | undefined)[]): Problem | undefined {
  const [first] = errors
  if (first === undefined || errors.includes(undefined)) return undefined
  const faults = new Map<string, MemberFault>()
  for (const { pointer, detail } of errors as WireError[]) {
    if (pointer !== undefined) faults.set(`${pointer} ${detail}`, { pointer, detail })
  }
  if (first.status === 400 && faults.size > 0) return invalidBody([...faults.values()])
  return new Problem(first.status, first.detail, {
    errors: [...faults.values()],
    headers: retryAfter(first),
  })
}

function retryAfter({ status, retryAfterSeconds }: WireError): Record<string, string> {
  if (status !== 429 && status !== 503) return {}
  return { 'retry-after': String(retryAfterSeconds ?? (status === 429 ? 60 : 1)) }
}

/** Error responses for refusals about bots, flows and runtimes. Every API reports them in the same way. */
export const botFaults: Record<
  BotFaultReason | 'signature-secret-missing' | 'webhook-needs-event-flow' | 'webhook-path-taken',
  WireError
> = {
  'name-missing': { status: 400, pointer: '#/name', detail: 'The name is empty. Expected: 1 to 100 characters.' },
  'name-too-long': { status: 400, pointer: '#/name', detail: 'The name is too long. Expected: 1 to 100 characters.' },
  'chat-platform-id-malformed': { status: 400, pointer: '#/chatPlatformId', detail: 'Expected: 17 to 20 digits.' },
  'avatar-malformed': { status: 400, pointer: '#/avatar', detail: 'Expected: an https:// or http:// URL.' },
  'plan-malformed': { status: 400, pointer: '#/plan', detail: 'Expected: 1 to 32 of a-z, 0-9 and hyphen.' },
  'kind-malformed': { status: 400, pointer: '#/kind', detail: 'Expected: 1 to 32 of a-z, 0-9 and hyphen.' },
  'public-code-malformed': {
    status: 400,
    pointer: '#/publicCode',
    detail: 'Expected: 1 to 100 visible ASCII characters.',
  },
  'capability-malformed': {
    status: 400,
    pointer: '#/capabilities',
    detail: 'Expected: strings of 1 to 64 characters.',
  },
  'guild-id-malformed': {
    status: 400,
    pointer: '#/guildIds',
    detail: 'Expected: server IDs of 1 to 64 letters, digits, hyphens and underscores.',
  },
  'webhook-path-malformed': {
    status: 400,
    pointer: '#/webhook/path',
    detail: 'Expected: 1 to 100 letters, digits and - _ . / ~.',
  },
  'webhook-key-malformed': {
    status: 400,
    pointer: '#/webhook/key',
    detail: 'Expected: 1 to 256 visible ASCII characters.',
  },
  'log-message-malformed': { status: 400, pointer: '#/entries', detail: 'Expected: messages of 1 to 4096 characters.' },
  'notice-too-long': {
    status: 400,
    pointer: '#/notice',
    detail: `Expected: at most ${statusNoticeMaxCharacters} characters.`,
  },
  'signature-preset-unknown': {
    status: 400,
    pointer: '#/webhook/signature/preset',
    detail: 'Expected: github, stripe, slack, shopify, discord or hmac.',
  },
  'signature-member-unwanted': {
    status: 400,
    pointer: '#/webhook/signature',
    detail:
      'A member doesn’t belong to this preset; remove it. discord takes publicKey; the others take secret; ' +
      'hmac also takes header, hash, encoding and prefix.',
  },
  'signature-secret-malformed': {
    status: 400,
    pointer: '#/webhook/signature/secret',
    detail: 'Expected: 1 to 256 characters, none of them a control character.',
  },
  'signature-secret-missing': {
    status: 400,
    pointer: '#/webhook/signature/secret',
    detail: 'No secret is stored yet. Expected: the secret that the sender signs with.',
  },
  'signature-public-key-malformed': {
    status: 400,
    pointer: '#/webhook/signature/publicKey',
    detail: 'Expected: the sender’s public key, 64 hexadecimal digits.',
  },
  'signature-header-malformed': {
    status: 400,
    pointer: '#/webhook/signature/header',
    detail: 'Expected: the name of the header with the signature, 1 to 64 letters, digits, hyphens and underscores.',
  },
  'signature-hash-unknown': {
    status: 400,
    pointer: '#/webhook/signature/hash',
    detail: 'Expected: sha1, sha256 or sha512.',
  },
  'signature-encoding-unknown': {
    status: 400,
    pointer: '#/webhook/signature/encoding',
    detail: 'Expected: hex or base64.',
  },
  'signature-prefix-malformed': {
    status: 400,
    pointer: '#/webhook/signature/prefix',
    detail: 'Expected: at most 32 visible ASCII characters.',
  },
  'dedupe-needs-one-place': {
    status: 400,
    pointer: '#/webhook/dedupe',
    detail: 'Expected: either header or pointer.',
  },
  'dedupe-header-malformed': {
    status: 400,
    pointer: '#/webhook/dedupe/header',
    detail: 'Expected: the name of a header, 1 to 64 letters, digits, hyphens and underscores.',
  },
  'dedupe-pointer-malformed': {
    status: 400,
    pointer: '#/webhook/dedupe/pointer',
    detail: 'Expected: a JSON pointer (RFC 6901) such as /id, at most 256 characters.',
  },
  'dedupe-window-malformed': {
    status: 400,
    pointer: '#/webhook/dedupe/windowSeconds',
    detail: 'Expected: whole seconds, 1 to 86400.',
  },
  'webhook-needs-event-flow': {
    status: 400,
    pointer: '#/webhook',
    detail: 'Only a flow of kind event can have a webhook. Set kind to event, or webhook to null.',
  },
  'webhook-path-taken': {
    status: 409,
    pointer: '#/webhook/path',
    detail: 'Another flow of this bot uses this path. Choose another path, or change that flow first.',
  },
}

/** Error responses for refused actions on events. Every API reports them in the same way. */
export const deliveryFaults: Record<DeliveryLogRefusalReason, WireError> = {
  'event-unknown': { status: 404, detail: 'The bot has no such event, or it is no longer kept.' },
  'in-process': { status: 409, detail: 'A runtime is processing this event. Wait for the result.' },
  finished: { status: 409, detail: 'This event is finished already. You can replay it.' },
  'behind-another': {
    status: 409,
    detail: 'The flow has strict order, and an earlier event of it is not finished. Retry or discard that event.',
  },
  'queue-full': {
    status: 503,
    detail: 'The queue is full. Nothing was changed. Try again later.',
    retryAfterSeconds: queueFullRetryAfterSeconds,
  },
  'gateway-unavailable': {
    status: 503,
    detail: 'The queue is unavailable. Nothing was changed. Try again in a moment.',
  },
}
