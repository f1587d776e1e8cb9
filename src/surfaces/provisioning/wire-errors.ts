import { AccountRefusal, type AccountRefusalReason } from '../../domain/accounts/account-refusal.ts'
import {
  type ApplicationFault,
  ApplicationRefusal,
  type ApplicationRefusalReason,
} from '../../domain/applications/application-refusal.ts'
import { BotRefusal, type BotRefusalReason } from '../../domain/bots/bot-refusal.ts'
import { operatorKeysMax } from '../../domain/limits/limits.ts'
import { OperatorRefusal, type OperatorRefusalReason } from '../../domain/operators/operator-refusal.ts'
import { faultyBody, type MemberFault, Problem } from './problem.ts'

/** A refusal on the wire: in which member the fault is, or that it is in the address. */
interface WireError {
  status: 400 | 404 | 409 | 503
  /** Place in the body; absent when the fault is in the address. */
  pointer?: string
  detail: string
}

/** Cannot come of provisioning; if it does, it is a fault of ours. */
const notHere = undefined

const accountErrors: Record<AccountRefusalReason, WireError | typeof notHere> = {
  'name-missing': { status: 400, pointer: '#/name', detail: 'The name is empty. Expected: 1 to 100 characters.' },
  'name-too-long': { status: 400, pointer: '#/name', detail: 'The name is too long. Expected: 1 to 100 characters.' },
  'email-missing': { status: 400, pointer: '#/email', detail: 'It is empty. Expected: an e-mail address, or null.' },
  'email-malformed': { status: 400, pointer: '#/email', detail: 'Expected: an e-mail address such as a@example.com.' },
  'email-taken': { status: 409, pointer: '#/email', detail: 'Another user has this e-mail address.' },
  'password-too-short': { status: 400, pointer: '#/password', detail: 'Expected: 8 to 256 characters.' },
  'password-too-long': { status: 400, pointer: '#/password', detail: 'Expected: 8 to 256 characters.' },
  'password-well-known': {
    status: 400,
    pointer: '#/password',
    detail: 'It is among the passwords that are guessed first. Expected: another one.',
  },
  'pin-malformed': { status: 400, pointer: '#/pin', detail: 'Expected: 4 to 12 digits.' },
  'chat-platform-id-malformed': { status: 400, pointer: '#/chatPlatformId', detail: 'Expected: 17 to 20 digits.' },
  'chat-platform-id-taken': {
    status: 409,
    pointer: '#/chatPlatformId',
    detail: 'Another user is linked to this chat-platform account.',
  },
  'code-hosting-id-malformed': {
    status: 400,
    pointer: '#/codeHostingId',
    detail: 'Expected: 1 to 64 characters without spaces.',
  },
  'code-hosting-id-taken': {
    status: 409,
    pointer: '#/codeHostingId',
    detail: 'Another user is linked to this code-hosting account.',
  },
  busy: { status: 503, detail: 'Many passwords are being hashed right now. Try again in a moment.' },
  'sign-up-closed': notHere,
  'password-wrong': notHere,
  'current-password-wrong': notHere,
  'credentials-wrong': notHere,
  'slow-down': notHere,
  'pin-not-set': notHere,
  'pin-wrong': notHere,
  'pin-locked': notHere,
  'unlock-first': notHere,
  'link-invalid': notHere,
  'sign-in-first': notHere,
  'too-many-sign-ups': notHere,
  'too-many-mails': notHere,
  'user-unknown': notHere,
}

const redirectUriRule =
  'Expected: an absolute https:// address without fragment, user information or wildcard; in the environment ' +
  'development also http:// on localhost, 127.0.0.1 or [::1].'

const applicationErrors: Record<ApplicationRefusalReason, WireError | typeof notHere> = {
  'name-missing': { status: 400, pointer: '#/name', detail: 'The name is empty. Expected: 1 to 100 characters.' },
  'name-too-long': { status: 400, pointer: '#/name', detail: 'The name is too long. Expected: 1 to 100 characters.' },
  'website-url-malformed': { status: 400, pointer: '#/websiteUrl', detail: 'Expected: an https:// address.' },
  'website-url-not-https': { status: 400, pointer: '#/websiteUrl', detail: 'Expected: an https:// address.' },
  'redirect-uris-missing': { status: 400, pointer: '#/redirectUris', detail: 'Expected: at least one redirect URI.' },
  'redirect-uris-too-many': { status: 400, pointer: '#/redirectUris', detail: 'Expected: at most 50 redirect URIs.' },
  'redirect-uri-too-long': { status: 400, pointer: '#/redirectUris', detail: 'Expected: at most 2048 characters.' },
  'redirect-uri-not-absolute': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-characters': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-host': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-wildcard': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-fragment': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-user': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-not-https': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'redirect-uri-http-elsewhere': { status: 400, pointer: '#/redirectUris', detail: redirectUriRule },
  'owner-unknown': { status: 400, pointer: '#/ownerId', detail: 'There is no such user. Put the user first.' },
  'application-removed': {
    status: 409,
    detail: 'This id was an application that is deleted, and is not given out again. Choose another id.',
  },
  'client-unknown': notHere,
  'client-secret-wrong': notHere,
  'application-unknown': notHere,
  'secret-label-missing': notHere,
  'secret-label-too-long': notHere,
  'secrets-too-many': notHere,
  'secret-unknown': notHere,
  'secret-needed': notHere,
}

const botErrors: Record<BotRefusalReason, WireError | typeof notHere> = {
  'name-missing': { status: 400, pointer: '#/name', detail: 'The name is empty. Expected: 1 to 100 characters.' },
  'name-too-long': { status: 400, pointer: '#/name', detail: 'The name is too long. Expected: 1 to 100 characters.' },
  'chat-platform-id-malformed': { status: 400, pointer: '#/chatPlatformId', detail: 'Expected: 17 to 20 digits.' },
  'chat-platform-id-taken': {
    status: 409,
    pointer: '#/chatPlatformId',
    detail: 'Another bot has this chat-platform id. Delete that one first, or correct the id.',
  },
  'avatar-malformed': { status: 400, pointer: '#/avatar', detail: 'Expected: an https:// or http:// address.' },
  'plan-malformed': { status: 400, pointer: '#/plan', detail: 'Expected: 1 to 32 of a-z, 0-9 and hyphen.' },
  'kind-malformed': { status: 400, pointer: '#/kind', detail: 'Expected: 1 to 32 of a-z, 0-9 and hyphen.' },
  'public-code-malformed': {
    status: 400,
    pointer: '#/publicCode',
    detail: 'Expected: 1 to 100 visible ASCII characters.',
  },
  'capability-malformed': { status: 400, pointer: '#/capabilities', detail: 'Expected: texts of 1 to 64 characters.' },
  'guild-id-malformed': {
    status: 400,
    pointer: '#/guildIds',
    detail: 'Expected: server ids of 1 to 64 letters, digits, hyphens and underscores.',
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
  'notice-too-long': notHere,
  'signature-preset-unknown': {
    status: 400,
    pointer: '#/webhook/signature/preset',
    detail: 'Expected: github, stripe, slack, shopify, discord or hmac.',
  },
  'signature-member-unwanted': {
    status: 400,
    pointer: '#/webhook/signature',
    detail:
      'It has a member that its preset has no use for; take it out. discord takes publicKey; the others take secret; ' +
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
    detail: 'Expected: either header or pointer, one of the two.',
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
    detail: 'Only a flow of the kind event listens for webhooks. Make the kind event, or the webhook null.',
  },
  'webhook-path-taken': {
    status: 409,
    pointer: '#/webhook/path',
    detail: 'Another flow of this bot listens on this path. Choose another path, or change that flow first.',
  },
  'owner-unknown': { status: 400, pointer: '#/ownerId', detail: 'There is no such user. Put the user first.' },
  'runtime-bot-unknown': { status: 400, pointer: '#/botIds', detail: 'There are no such bots. Put the bots first.' },
  'runtime-unknown': { status: 404, detail: 'There is no such runtime. GET /v1/runtimes lists those that there are.' },
  'runtimes-too-many': notHere,
  'invited-missing': notHere,
  'invited-too-long': notHere,
  'invitations-too-many': notHere,
  'invitation-unknown': notHere,
  'works-already': notHere,
  'key-unknown': { status: 404, detail: 'The runtime has no live key of this number. GET the runtime lists its keys.' },
  'key-needed': {
    status: 409,
    detail: 'This is the current key. Make a new one with POST to …/keys first, or DELETE the runtime.',
  },
  'bot-unknown': { status: 400, detail: 'There is no such bot. Put the bot first.' },
  'user-unknown': { status: 400, detail: 'There is no such user. Put the user first.' },
  'user-is-owner': {
    status: 400,
    detail: 'This user owns the bot, and an owner is no coworker of their own. Name another user.',
  },
  'not-allowed': notHere,
  'flow-unknown': notHere,
  'webhook-missing': notHere,
}

const operatorErrors: Record<OperatorRefusalReason, WireError> = {
  'name-missing': { status: 400, pointer: '#/name', detail: 'The name is empty. Expected: 1 to 100 characters.' },
  'name-too-long': { status: 400, pointer: '#/name', detail: 'The name is too long. Expected: 1 to 100 characters.' },
  'keys-too-many': {
    status: 409,
    detail: `There are ${operatorKeysMax} operator keys already. Delete an unused one first.`,
  },
}

/** The problem of a refusal; undefined for everything else, which is a fault. */
export function problemOfRefusal(error: unknown, body: unknown): Problem | undefined {
  if (error instanceof AccountRefusal) {
    return problemOf(error.reasons.map((reason) => accountErrors[reason]))
  }
  if (error instanceof ApplicationRefusal) {
    if (error.faults.length === 0) return problemOf([applicationErrors[error.reason]])
    return problemOf(error.faults.map((fault) => inRedirectUri(applicationErrors[fault.reason], fault, body)))
  }
  if (error instanceof OperatorRefusal) return problemOf([operatorErrors[error.reason]])
  if (error instanceof BotRefusal) return problemOf(error.reasons.map((reason) => namingBots(botErrors[reason], error)))
  return undefined
}

function problemOf(errors: readonly (WireError | undefined)[]): Problem | undefined {
  const [first] = errors
  if (first === undefined || errors.includes(undefined)) return undefined
  const faults = new Map<string, MemberFault>()
  for (const { pointer, detail } of errors as WireError[]) {
    if (pointer !== undefined) faults.set(`${pointer} ${detail}`, { pointer, detail })
  }
  if (first.status === 400 && faults.size > 0) return faultyBody([...faults.values()])
  return new Problem(first.status, first.detail, {
    errors: [...faults.values()],
    ...(first.status === 503 ? { headers: { 'retry-after': '1' } } : {}),
  })
}

/** Points to the very redirect URI that has the fault. */
function inRedirectUri(error: WireError | undefined, fault: ApplicationFault, body: unknown): WireError | undefined {
  if (error === undefined || fault.redirectUri === undefined) return error
  const sent = (body as { redirectUris: string[] }).redirectUris
  return { ...error, pointer: `#/redirectUris/${sent.findIndex((uri) => uri.trim() === fault.redirectUri)}` }
}

/** Says which of many bots are unknown. */
function namingBots(error: WireError | undefined, refusal: BotRefusal): WireError | undefined {
  if (error === undefined || refusal.reason !== 'runtime-bot-unknown') return error
  return { ...error, detail: `There are no bots ${refusal.detail}. Put the bots first, or leave them out.` }
}
