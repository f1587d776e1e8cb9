import { auditActors, auditKinds, type ShownEvent } from '../../domain/audit/audit.ts'
import { type BotId, outboxOf, type SubscriptionId, type UserId } from '../../domain/ids-and-secrets.ts'
import type { People, PersonalRecord, PersonalRecords } from '../../domain/people/people.ts'
import type { EventSummary } from '../../domain/webhooks/event-log.ts'
import { type Schema, Type } from '../../http/json-schema.ts'
import { inIsoTimes, iso, nullable, timestamp } from '../engine/schemas.ts'
import { stateNames } from '../resources/delivery-records.ts'

const text = Type.String()
const maybeText = nullable(Type.String())
const flag = Type.Boolean()
const texts = Type.Array(Type.String())
const time = timestamp('time, in UTC')
const maybeTime = nullable(timestamp('time, in UTC'))
const listOf = (members: Readonly<Record<string, Schema>>, description: string) =>
  Type.Array(Type.Object(members), description)

const key = { lastFour: text, createdAt: time, lastUsedAt: maybeTime, endsAt: maybeTime }
const event = {
  id: text,
  state: Type.Enum(['waiting', 'processing', 'delivered', 'dead']),
  attempts: Type.Integer(),
  bodyBytes: Type.Integer(),
  acceptedAt: time,
  finishedAt: maybeTime,
}
const role = { botId: text, role: text, capabilities: texts }

export const personalData = Type.Object(
  {
    exportedAt: timestamp('when the export began'),
    user: Type.Object({
      id: text,
      name: text,
      email: maybeText,
      emailVerifiedAt: maybeTime,
      pendingEmail: maybeText,
      chatPlatformId: maybeText,
      codeHostingId: maybeText,
      hasPassword: flag,
      hasPin: flag,
      pinLockedUntil: maybeTime,
      disabledAt: maybeTime,
      createdAt: time,
      changedAt: time,
    }),
    sessions: listOf(
      { surface: text, userAgent: maybeText, address: maybeText, createdAt: time, lastSeenAt: time, expiresAt: time },
      'sessions in browsers',
    ),
    passkeys: listOf({ name: text, backedUp: flag, createdAt: time, lastUsedAt: maybeTime }, 'passkeys'),
    personalTokens: listOf(
      { id: text, name: text, scopes: texts, createdAt: time, expiresAt: time, lastUsedAt: maybeTime },
      'personal access tokens',
    ),
    linkedAccounts: listOf(
      { issuer: text, subject: text, name: maybeText, linkedAt: time },
      'accounts at sign-in providers',
    ),
    oneTimeLinks: listOf({ purpose: text, email: maybeText, expiresAt: time }, 'unused links sent to the user'),
    outgoingMail: listOf({ kind: text, address: text, language: text, createdAt: time }, 'emails not sent yet'),
    tryOutResults: listOf({ expiresAt: time }, 'results of the user’s try-outs, sealed until the user opens them'),
    consents: listOf(
      {
        applicationId: text,
        applicationName: text,
        scopes: texts,
        impliedScopes: texts,
        firstGrantedAt: time,
        lastGrantedAt: time,
        lastUsedAt: maybeTime,
      },
      'what the user allowed applications to do',
    ),
    authorizations: listOf(
      {
        applicationId: text,
        scopes: texts,
        redirectUri: text,
        createdAt: time,
        redeemedAt: maybeTime,
        refreshedAt: maybeTime,
        revokedAt: maybeTime,
        endsAt: time,
      },
      'authorizations with valid or recently expired tokens',
    ),
    roles: listOf(role, 'roles in bots of other users'),
    acceptedInvitations: listOf(
      { ...role, label: text, expiresAt: time },
      'invitations that the bot’s owner has not confirmed yet',
    ),
    applications: listOf(
      {
        id: text,
        clientId: text,
        name: text,
        websiteUrl: text,
        redirectUris: texts,
        environment: text,
        firstParty: flag,
        verified: flag,
        requirePkce: flag,
        createdAt: time,
        changedAt: time,
        disabledAt: maybeTime,
        deletedAt: maybeTime,
      },
      'applications that the user owns',
    ),
    clientSecrets: listOf(
      { applicationId: text, label: maybeText, createdAt: time, lastUsedAt: maybeTime },
      'client secrets of these applications, without the secrets',
    ),
    failedRequests: listOf(
      { applicationId: text, at: time, place: text, error: maybeText, description: text, redirectUri: maybeText },
      'latest failed requests of these applications',
    ),
    bots: listOf(
      {
        id: text,
        name: text,
        chatPlatformId: text,
        avatar: maybeText,
        plan: text,
        hostingEnabled: flag,
        hostingLocation: maybeText,
        publicStatus: flag,
        createdAt: time,
        changedAt: time,
        deletedAt: maybeTime,
      },
      'bots that the user owns',
    ),
    flows: listOf(
      {
        botId: text,
        id: text,
        kind: text,
        name: text,
        publicCode: maybeText,
        webhookPath: maybeText,
        requiresKey: flag,
        ordered: flag,
        signature: nullable(Type.Object({})),
        dedupe: nullable(Type.Object({})),
        createdAt: time,
        changedAt: time,
      },
      'flows of these bots',
    ),
    flowKeys: listOf({ botId: text, flowId: text, ...key }, 'keys of these flows, without the keys'),
    guilds: listOf({ botId: text, guildIds: texts }, 'servers of these bots'),
    statusNotices: listOf({ botId: text, notice: text, setAt: time }, 'notices on status pages'),
    collaborators: listOf({ ...role, userId: text }, 'collaborators of these bots'),
    invitations: listOf({ ...role, label: text, expiresAt: time }, 'open invitations to these bots'),
    runtimes: listOf(
      { id: text, name: text, botIds: nullable(texts, 'null for all of the user’s bots'), createdAt: time },
      'runtimes that the user created',
    ),
    runtimeKeys: listOf({ runtimeId: text, ...key }, 'keys of these runtimes, without the keys'),
    runtimeConnections: listOf(
      { runtimeId: text, instance: text, agent: text, connectedAt: time, lastHeardAt: time, endedAt: maybeTime },
      'latest connection of each instance of these runtimes',
    ),
    refusedWebhooks: listOf(
      { botId: text, flowId: maybeText, cause: text, count: Type.Integer(), firstAt: time, lastAt: time },
      'webhooks to these bots that the gateway refused, without paths and senders',
    ),
    subscriptions: listOf(
      { id: text, url: text, types: texts, format: text, disabledBecause: maybeText, createdAt: time },
      'subscriptions to events that the user created',
    ),
    activity: listOf(
      {
        at: time,
        kind: Type.Enum(auditKinds),
        actor: Type.Enum(auditActors),
        applicationId: maybeText,
        botId: maybeText,
        address: maybeText,
        userAgent: maybeText,
        detail: Type.Record(Type.String()),
      },
      'audit events about the user, newest first, without the addresses of operators',
    ),
    logs: listOf({ botId: text, at: time, level: text, message: text }, 'runtime logs of these bots, newest first'),
    deliveries: listOf(
      { botId: text, flowId: text, ...event },
      'webhooks to these bots, newest first, without headers and bodies',
    ),
    subscriptionDeliveries: listOf(
      { subscriptionId: text, type: text, ...event },
      'events for these subscriptions, newest first, without bodies',
    ),
  },
  { title: 'PersonalData' },
)

/** Yields the export as JSON text, piece by piece, so that memory stays bounded however long it is. */
export async function* exportDocument(
  people: People,
  userId: UserId,
  { records, nowMs }: { records: PersonalRecords; nowMs: number },
): AsyncGenerator<string> {
  const { user: [account = {}] = [], ...lists } = records
  const short = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map(inIsoTimes)]))
  const head = { exportedAt: iso(nowMs), user: inIsoTimes(account), ...short }
  yield JSON.stringify(head).slice(0, -'}'.length)
  const botIds = (records.bots ?? []).map(({ id }) => id as BotId)
  const subscriptionIds = (records.subscriptions ?? []).map(({ id }) => id as SubscriptionId)
  yield* member('activity', people.activity(userId), activityOf)
  yield* member(
    'logs',
    ofEach(botIds, (botId) => people.logs(botId)),
    (entry) => ({ ...entry, number: undefined }),
  )
  yield* member(
    'deliveries',
    ofEach(botIds, async function* (botId) {
      for await (const events of people.deliveries(botId)) {
        yield events.map(({ flowId, ...event }) => ({ botId, flowId, ...eventOf(event) }))
      }
    }),
    (delivery) => delivery,
  )
  yield* member(
    'subscriptionDeliveries',
    ofEach(subscriptionIds, async function* (subscriptionId) {
      for await (const events of people.deliveries(outboxOf(subscriptionId))) {
        yield events.map(({ flowId: type, ...event }) => ({ subscriptionId, type, ...eventOf(event) }))
      }
    }),
    (delivery) => delivery,
  )
  yield '}'
}

/** Yields one more member of the document, whose value is a list. */
async function* member<Item>(
  name: string,
  batches: AsyncIterable<readonly Item[]>,
  recordOf: (item: Item) => PersonalRecord,
): AsyncGenerator<string> {
  yield `,"${name}":[`
  let separator = ''
  for await (const items of batches) {
    if (items.length === 0) continue
    yield separator + items.map((item) => JSON.stringify(inIsoTimes(recordOf(item)))).join(',')
    separator = ','
  }
  yield ']'
}

async function* ofEach<Id, Batch>(ids: readonly Id[], read: (id: Id) => AsyncIterable<Batch>) {
  for (const id of ids) yield* read(id)
}

function activityOf({ atMs, kind, actor, applicationId, botId, address, userAgent, detail }: ShownEvent) {
  return { atMs, kind, actor, applicationId, botId, address, userAgent, detail }
}

function eventOf({ id, state, attempts, bodyBytes, acceptedAtMs, finishedAtMs }: Omit<EventSummary, 'flowId'>) {
  return { id, state: stateNames[state], attempts, bodyBytes, acceptedAtMs, finishedAtMs }
}
