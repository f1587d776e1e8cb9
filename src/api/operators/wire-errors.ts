import { AccountRefusal, type AccountRefusalReason } from '../../domain/accounts/account-refusal.ts'
import {
  type ApplicationFault,
  ApplicationRefusal,
  type ApplicationRefusalReason,
} from '../../domain/applications/application-form.ts'
import { BotRefusal, type BotRefusalReason } from '../../domain/bots/record-rules.ts'
import * as limits from '../../domain/limits/limits.ts'
import { OperatorRefusal, type OperatorRefusalReason } from '../../domain/operators/operator-keys.ts'
import { SubscriptionRefusal, type SubscriptionRefusalReason } from '../../domain/subscriptions/subscriptions.ts'
import { EventRefusal } from '../../domain/webhooks/event-changes.ts'
import {
  badRequest,
  conflict,
  invalid,
  missing,
  type Problem,
  problemOf,
  tooMany,
  unavailable,
  type WireError,
  type WireErrors,
} from '../engine/problem.ts'
import { botFaults, deliveryFaults, type OfInvitation } from '../resources/wire-errors.ts'

const nameErrors = {
  'name-missing': invalid('#/name', 'The name is empty. Expected: 1 to 100 characters.'),
  'name-too-long': invalid('#/name', 'The name is too long. Expected: 1 to 100 characters.'),
}

// Reasons that no provisioning call can cause.
type OfSignIn = 'sign-in-first' | 'credentials-wrong' | 'slow-down' | 'user-disabled' | 'user-unknown' | 'link-invalid'
type OfSignUp = 'sign-up-closed' | 'too-many-sign-ups' | 'too-many-mails' | 'email-unconfirmed'
type OfPages = 'password-wrong' | 'current-password-wrong' | 'pin-not-set' | 'pin-wrong' | 'pin-locked' | 'unlock-first'
type OfPortal = `secret${string}` | `client-${string}` | 'application-unknown' | 'applications-too-many'
type OfOwner = 'not-allowed' | 'email-unconfirmed' | 'runtime-needs-bot' | 'runtimes-too-many' | OfOwnersFlow
type OfOwnersFlow = 'flow-unknown' | 'flows-too-many' | 'flows-managed-by-operator' | 'webhook-missing'

const accountErrors: WireErrors = {
  ...nameErrors,
  'email-missing': invalid('#/email', 'The email is empty. Expected: an address, or null.'),
  'email-malformed': invalid('#/email', 'Expected: an email address such as a@example.com.'),
  'email-taken': conflict('Another user has this email address.', '#/email'),
  'password-too-short': invalid('#/password', 'Expected: 8 to 256 characters.'),
  'password-too-long': invalid('#/password', 'Expected: 8 to 256 characters.'),
  'password-well-known': invalid('#/password', 'This password is well known. Expected: another one.'),
  'pin-malformed': invalid('#/pin', 'Expected: 4 to 12 digits.'),
  'chat-platform-id-taken': conflict('Another user is linked to this chat-platform account.', '#/chatPlatformId'),
  'code-hosting-id-malformed': invalid('#/codeHostingId', 'Expected: 1 to 64 characters without spaces.'),
  'code-hosting-id-taken': conflict('Another user is linked to this code-hosting account.', '#/codeHostingId'),
  busy: unavailable('Too many passwords are being hashed. Try again in a moment.'),
} satisfies Record<Exclude<AccountRefusalReason, OfSignIn | OfSignUp | OfPages>, WireError>

const idReserved = conflict('This ID is reserved for the URL of a form. Choose another ID.')

const redirectUriRule =
  'Expected: an absolute https:// URL without fragment, user information or wildcard. In the environment ' +
  'development, http:// is also allowed on localhost, 127.0.0.1 and [::1].'

const applicationErrors: WireErrors = {
  ...nameErrors,
  'website-url-malformed': invalid('#/websiteUrl', 'Expected: an https:// URL.'),
  'website-url-not-https': invalid('#/websiteUrl', 'Expected: an https:// URL.'),
  'redirect-uris-missing': invalid('#/redirectUris', 'Expected: at least one redirect URI.'),
  'redirect-uris-too-many': invalid('#/redirectUris', 'Expected: at most 50 redirect URIs.'),
  'redirect-uri-too-long': invalid('#/redirectUris', 'Expected: at most 2048 characters.'),
  'redirect-uri-several': invalid('#/redirectUris', 'Expected: one URL per list item (in the portal, one per line).'),
  'redirect-uri-response-parameter': invalid(
    '#/redirectUris',
    'Expected: a query without code, state, error, error_description, error_uri and iss, which the redirect adds.',
  ),
  'redirect-uri-not-absolute': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-characters': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-host': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-wildcard': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-fragment': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-user': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-not-https': invalid('#/redirectUris', redirectUriRule),
  'redirect-uri-http-elsewhere': invalid('#/redirectUris', redirectUriRule),
  'owner-unknown': invalid('#/ownerId', 'There is no such user. Create the user first.'),
  'id-reserved': idReserved,
  'application-removed': conflict('This ID belonged to a deleted application and can’t be reused. Choose another ID.'),
} satisfies Record<Exclude<ApplicationRefusalReason, OfPortal>, WireError>

const botErrors: WireErrors = {
  ...botFaults,
  'chat-platform-id-taken': conflict(
    'Another bot has this chat-platform ID. Delete that bot first, or correct the ID.',
    '#/chatPlatformId',
  ),
  'owner-unknown': invalid('#/ownerId', 'There is no such user. Create the user first.'),
  'runtime-bot-unknown': invalid('#/botIds', 'There are no such bots. Create the bots first.'),
  'runtime-unknown': missing('There is no such runtime. GET /v1/runtimes lists the runtimes.'),
  'key-unknown': missing('The runtime has no active key with this number. GET the runtime to see its keys.'),
  'key-needed': conflict('This is the current key. Create a new key with POST …/keys first, or DELETE the runtime.'),
  'bot-unknown': badRequest('There is no such bot. Create the bot first.'),
  'user-unknown': badRequest('There is no such user. Create the user first.'),
  'user-is-owner': badRequest('This user owns the bot, so can’t be its coworker. Choose another user.'),
  'collaborators-too-many': conflict(`The bot has ${limits.collaboratorsPerBot} coworkers already. Remove one first.`),
} satisfies Record<Exclude<BotRefusalReason, OfOwner | OfInvitation>, WireError>

const operatorErrors: WireErrors = {
  ...nameErrors,
  'keys-too-many': conflict(`There are ${limits.operatorKeysMax} operator keys already. Delete an unused one first.`),
} satisfies Record<OperatorRefusalReason, WireError>

/** Converts a refusal to a problem document. Returns `undefined` for unexpected reasons and for all other errors. */
export function problemOfRefusal(error: unknown, body: unknown): Problem | undefined {
  if (error instanceof AccountRefusal) return problemOf(error.reasons.map((reason) => accountErrors[reason]))
  if (error instanceof ApplicationRefusal) {
    const { faults } = error.about
    if (faults === undefined) return problemOf([applicationErrors[error.reason]])
    return problemOf(faults.map((fault) => inRedirectUri(applicationErrors[fault.reason], fault, body)))
  }
  if (error instanceof EventRefusal) return problemOf([deliveryFaults[error.reason]])
  if (error instanceof OperatorRefusal) return problemOf([operatorErrors[error.reason]])
  if (error instanceof SubscriptionRefusal) return problemOf(error.reasons.map((reason) => subscriptionErrors[reason]))
  if (error instanceof BotRefusal) return problemOf(error.reasons.map((reason) => namingBots(botErrors[reason], error)))
  return undefined
}

function inRedirectUri(error: WireError | undefined, fault: ApplicationFault, body: unknown): WireError | undefined {
  if (error === undefined || fault.redirectUri === undefined) return error
  const sent = (body as { redirectUris: string[] }).redirectUris
  return { ...error, pointer: `#/redirectUris/${sent.findIndex((uri) => uri.trim() === fault.redirectUri)}` }
}

function namingBots(error: WireError | undefined, refusal: BotRefusal): WireError | undefined {
  if (error === undefined || refusal.reason !== 'runtime-bot-unknown') return error
  return { ...error, detail: `Unknown bots: ${refusal.detail}. Create them first, or remove them from botIds.` }
}

const urlFault = (detail: string) => invalid('#/url', detail)
const subscriptionErrors: WireErrors = {
  'url-malformed': urlFault('Expected: an https:// URL such as https://example.com/events.'),
  'url-too-long': urlFault('The URL is too long. Expected: at most 2048 characters.'),
  'url-with-credentials': urlFault(
    'The URL contains a user name or password. Remove it, and check the signature instead.',
  ),
  'url-with-fragment': urlFault('The URL contains a fragment, which is never sent. Remove it.'),
  'url-not-https': urlFault('The URL must use https://.'),
  'url-internal': urlFault('The host is internal. Expected: a host on the public internet.'),
  'types-missing': invalid('#/types', 'Expected: at least one type.'),
  'owner-unknown': invalid('#/ownerId', 'There is no such user. Create the user first.'),
  'id-reserved': idReserved,
  'owner-differs': conflict(
    'The subscription has another owner, which can’t be changed. Create another subscription.',
    '#/ownerId',
  ),
  'too-many': conflict('The owner has too many subscriptions. Delete an unused one first.'),
  'subscription-unknown': missing('There is no such subscription. GET /v1/subscriptions lists them.'),
  'event-unknown': missing('There is no such event. It may be older than the log.'),
  'tests-too-many': tooMany(
    `A subscription takes ${limits.subscriptionTestsPerMinute} test events a minute. Try again in a minute.`,
  ),
  'outbox-full': unavailable('Too many events are waiting for this subscription. Try again later.'),
  'queue-unavailable': unavailable('The event can’t be stored at the moment. Try again in a moment.'),
} satisfies Record<Exclude<SubscriptionRefusalReason, 'email-unconfirmed'>, WireError>
