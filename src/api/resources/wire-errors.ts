import type { BotFaultReason } from '../../domain/bots/record-rules.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { EventRefusalReason } from '../../domain/webhooks/event-changes.ts'
import { conflict, invalid, missing, unavailable, type WireError } from '../engine/problem.ts'

/** Error responses for refusals about bots, flows and runtimes. Every API reports them in the same way. */
export const botFaults: Record<
  BotFaultReason | 'signature-secret-missing' | 'webhook-needs-event-flow' | 'webhook-path-taken',
  WireError
> = {
  'name-missing': invalid('#/name', 'The name is empty. Expected: 1 to 100 characters.'),
  'name-too-long': invalid('#/name', 'The name is too long. Expected: 1 to 100 characters.'),
  'avatar-malformed': invalid('#/avatar', 'Expected: an https:// or http:// URL.'),
  'capability-malformed': invalid('#/capabilities', 'Expected: strings of 1 to 64 characters.'),
  'webhook-path-malformed': invalid('#/webhook/path', 'Expected: 1 to 100 letters, digits and - _ . / ~.'),
  'webhook-path-has-dots': invalid(
    '#/webhook/path',
    'Remove the segments . and .., because HTTP clients change URLs that contain them.',
  ),
  'notice-too-long': invalid('#/notice', `Expected: at most ${limits.statusNoticeMaxCharacters} characters.`),
  'signature-preset-unknown': invalid(
    '#/webhook/signature/preset',
    'Expected: github, stripe, slack, shopify, discord, standard-webhooks, token or hmac.',
  ),
  'signature-member-unwanted': invalid(
    '#/webhook/signature',
    'A member doesn’t belong to this preset; remove it. discord takes publicKey; the others take secret and ' +
      'secretBefore; token also takes header; hmac also takes header, hash, encoding, prefix, signed, timestampHeader ' +
      'and timestampPart.',
  ),
  'signature-secret-malformed': invalid(
    '#/webhook/signature/secret',
    'Expected: 1 to 256 characters, none of them a control character.',
  ),
  'signature-secret-not-standard': invalid(
    '#/webhook/signature/secret',
    'Expected: whsec_ and the secret in Base64, as the sender shows it.',
  ),
  'signature-secret-missing': invalid(
    '#/webhook/signature/secret',
    'No secret is stored for this preset. Expected: the secret that the sender signs with.',
  ),
  'signature-public-key-malformed': invalid(
    '#/webhook/signature/publicKey',
    'Expected: the sender’s public key, 64 hexadecimal digits.',
  ),
  'signature-public-key-invalid': invalid(
    '#/webhook/signature/publicKey',
    'No Ed25519 public key has these digits. Copy the key from the sender again.',
  ),
  'signature-header-malformed': invalid(
    '#/webhook/signature/header',
    'Expected: the name of the header with the signature, 1 to 64 letters, digits, hyphens and underscores.',
  ),
  'signature-hash-unknown': invalid('#/webhook/signature/hash', 'Expected: sha1, sha256 or sha512.'),
  'signature-encoding-unknown': invalid('#/webhook/signature/encoding', 'Expected: hex or base64.'),
  'signature-prefix-malformed': invalid('#/webhook/signature/prefix', 'Expected: at most 32 visible ASCII characters.'),
  'signature-signed-malformed': invalid(
    '#/webhook/signature/signed',
    'Expected: at most 256 ASCII characters, with {body} once, {timestamp} at most once and without {id}.',
  ),
  'signature-timestamp-unclear': invalid(
    '#/webhook/signature',
    'Expected: either timestampHeader or timestampPart if signed contains {timestamp}, otherwise neither.',
  ),
  'dedupe-needs-one-place': invalid('#/webhook/dedupe', 'Expected: either header or pointer.'),
  'dedupe-header-malformed': invalid(
    '#/webhook/dedupe/header',
    'Expected: the name of a header, 1 to 64 letters, digits, hyphens and underscores.',
  ),
  'dedupe-pointer-malformed': invalid(
    '#/webhook/dedupe/pointer',
    'Expected: a JSON pointer (RFC 6901) such as /id, at most 256 characters.',
  ),
  'dedupe-window-malformed': invalid('#/webhook/dedupe/windowSeconds', 'Expected: whole seconds, 1 to 86400.'),
  'webhook-needs-event-flow': invalid(
    '#/webhook',
    'Only a flow of kind event can have a webhook. Set kind to event, or webhook to null.',
  ),
  'webhook-path-taken': conflict(
    'Another flow of this bot uses this path. Choose another path, or change that flow first.',
    '#/webhook/path',
  ),
}

/** Reasons that no call can cause: collaborators are invited only on pages. */
export type OfInvitation =
  | 'invited-missing'
  | 'invited-too-long'
  | 'invitations-too-many'
  | 'invitation-unknown'
  | 'works-already'

/** Error responses for refused actions on events. Every API reports them in the same way. */
export const deliveryFaults: Record<EventRefusalReason, WireError> = {
  'event-unknown': missing('The bot has no such event, or it is no longer kept.'),
  'in-process': conflict('A runtime is processing this event. Wait for the result.'),
  finished: conflict('This event is finished already. You can replay it.'),
  'behind-another': conflict(
    'The flow has strict order, and an earlier event of it is not finished. Retry or discard that event.',
  ),
  'queue-full': unavailable(
    'The queue is full. Nothing was changed. Try again later.',
    limits.queueFullRetryAfterSeconds,
  ),
  'gateway-unavailable': unavailable('The queue is unavailable. Nothing was changed. Try again in a moment.'),
}
