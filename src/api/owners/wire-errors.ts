import { AccessEnded } from '../../domain/audit/audit.ts'
import { BotRefusal, type BotRefusalReason } from '../../domain/bots/record-rules.ts'
import * as limits from '../../domain/limits/limits.ts'
import { EventRefusal } from '../../domain/webhooks/event-changes.ts'
import {
  conflict,
  forbidden,
  invalid,
  missing,
  type Problem,
  problemOf,
  type WireError,
  type WireErrors,
} from '../engine/problem.ts'
import { botFaults, deliveryFaults, type OfInvitation } from '../resources/wire-errors.ts'
import { unauthorized } from './token-guard.ts'

// Reasons that only the operator's calls can cause.
type OfRecords = 'chat-platform-id-taken' | 'owner-unknown' | 'user-unknown'
type OfCollaborators = 'user-is-owner' | 'collaborators-too-many'

const botErrors: WireErrors = {
  ...botFaults,
  'bot-unknown': missing('There is no such bot, or you have no access to it.'),
  'not-allowed': forbidden('Your role in this bot doesn’t allow this. Nothing was changed.'),
  'flow-unknown': missing('The bot has no such flow.'),
  'flows-too-many': conflict(`The bot has ${limits.flowsPerBot} flows already. Remove one first.`),
  'flows-managed-by-operator': forbidden(
    'On this service, only the operator creates and removes flows. Nothing was changed.',
  ),
  'webhook-missing': conflict('This flow takes no webhooks, so it has no webhook settings and no keys.'),
  'runtime-unknown': missing('You have no such runtime.'),
  'email-unconfirmed': forbidden('Confirm your email address on your account page first. Nothing was changed.'),
  'runtimes-too-many': conflict(`You have ${limits.runtimesPerOwner} runtimes already. Remove one first.`),
  'runtime-needs-bot': conflict('You own no bot that a runtime could host.'),
  'runtime-bot-unknown': invalid('#/botIds', 'Expected: only IDs of bots that you own.'),
  'key-unknown': missing('There is no active key with this number.'),
  'key-needed': conflict('This is the current key. Create a new key with POST …/keys first.'),
} satisfies Record<Exclude<BotRefusalReason, OfRecords | OfCollaborators | OfInvitation>, WireError>

/** Converts a refusal to a problem document. Returns `undefined` for unexpected reasons and for all other errors. */
export function problemOfRefusal(error: unknown, body: unknown): Problem | undefined {
  if (error instanceof AccessEnded)
    return unauthorized('Bearer error="invalid_token"', 'The token was just revoked. Nothing was changed.')
  if (error instanceof EventRefusal) return problemOf([deliveryFaults[error.reason]])
  if (error instanceof BotRefusal) return problemOf(error.reasons.map((reason) => inBody(botErrors[reason], body)))
  return undefined
}

/** Corrects the pointer for requests whose body consists only of the flow's webhook settings. */
function inBody(error: WireError | undefined, body: unknown): WireError | undefined {
  if (error?.pointer === undefined || Object.hasOwn((body ?? {}) as object, 'webhook')) return error
  return { ...error, pointer: error.pointer.replace('#/webhook/', '#/') }
}
