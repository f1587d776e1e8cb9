import { auditActors, auditKinds, type ShownEvent } from '../../domain/audit/audit.ts'
import type { BotId, UserId } from '../../domain/ids-and-secrets.ts'
import type { People, PersonalRecord, PersonalRecords } from '../../domain/people/people.ts'
import type { EventSummary } from '../../domain/webhooks/event-log.ts'
import { type Schema, Type } from '../../http/json-schema.ts'
import { inIsoTimes, iso, nullable, timestamp } from '../engine/schemas.ts'
import { stateNames } from '../resources/delivery-records.ts'

const lists = 'scopes impliedScopes redirectUris capabilities guildIds types'.split(' ')
const flags = 'hasPassword hasPin backedUp firstParty verified requirePkce hostingEnabled publicStatus'.split(' ')
const counts = ['count', 'attempts', 'bodyBytes']

/** Returns the schema of a member, judging by its name. Most are texts. */
function typeOf(name: string): Schema {
  if (/(?:^at|At|Until)$/.test(name)) return timestamp('time, in UTC')
  if (lists.includes(name)) return Type.Array(Type.String())
  if (flags.includes(name)) return Type.Boolean()
  return counts.includes(name) ? Type.Integer() : Type.String()
}

/** Returns the schema of a record with these members, in this order. Those with a question mark can be null. */
function recordOf(members: string, others: Readonly<Record<string, Schema>> = {}) {
  const properties = members.split(' ').map((member) => {
    const name = member.replace('?', '')
    const schema = others[name] ?? typeOf(name)
    return [name, member.endsWith('?') ? nullable(schema) : schema]
  })
  return Type.Object(Object.fromEntries(properties))
}

const listOf = (description: string, ...members: Parameters<typeof recordOf>) =>
  Type.Array(recordOf(...members), description)

export const personalData = Type.Object(
  {
    exportedAt: timestamp('when the export began'),
    user: recordOf(
      'id name email? emailVerifiedAt? pendingEmail? chatPlatformId? codeHostingId? hasPassword hasPin pinLockedUntil? disabledAt? createdAt changedAt',
    ),
    sessions: listOf('sessions in browsers', 'surface userAgent? address? createdAt lastSeenAt expiresAt'),
    passkeys: listOf('passkeys', 'name backedUp createdAt lastUsedAt?'),
    personalTokens: listOf('personal access tokens', 'id name scopes createdAt expiresAt lastUsedAt?'),
    linkedAccounts: listOf('accounts at sign-in providers', 'issuer subject name? linkedAt'),
    oneTimeLinks: listOf('unused links sent to the user', 'purpose email? expiresAt'),
    outgoingMail: listOf('emails not sent yet', 'kind address language createdAt'),
    tryOutResults: listOf('results of the user’s try-outs, sealed until the user opens them', 'expiresAt'),
    consents: listOf(
      'what the user allowed applications to do',
      'applicationId applicationName scopes impliedScopes firstGrantedAt lastGrantedAt lastUsedAt?',
    ),
    authorizations: listOf(
      'authorizations with valid or recently expired tokens',
      'applicationId scopes redirectUri createdAt redeemedAt? refreshedAt? revokedAt? endsAt',
    ),
    roles: listOf('roles in bots of other users', 'botId role capabilities'),
    acceptedInvitations: listOf(
      'invitations that the bot’s owner has not confirmed yet',
      'botId role capabilities label expiresAt',
    ),
    applications: listOf(
      'applications that the user owns',
      'id clientId name websiteUrl redirectUris environment firstParty verified requirePkce createdAt changedAt disabledAt? deletedAt?',
    ),
    clientSecrets: listOf(
      'client secrets of these applications, without the secrets',
      'applicationId label? createdAt lastUsedAt?',
    ),
    bots: listOf(
      'bots that the user owns',
      'id name chatPlatformId avatar? plan hostingEnabled hostingLocation? publicStatus createdAt changedAt deletedAt?',
    ),
    flows: listOf('flows of these bots', 'botId id kind name publicCode? webhookPath? createdAt changedAt'),
    guilds: listOf('servers of these bots', 'botId guildIds'),
    statusNotices: listOf('notices on status pages', 'botId notice setAt'),
    collaborators: listOf('collaborators of these bots', 'botId role capabilities userId'),
    invitations: listOf('open invitations to these bots', 'botId role capabilities label expiresAt'),
    runtimes: listOf('runtimes that the user created', 'id name botIds createdAt', {
      botIds: nullable(Type.Array(Type.String()), 'null for all of the user’s bots'),
    }),
    runtimeConnections: listOf(
      'latest connection of each instance of these runtimes',
      'runtimeId instance agent connectedAt lastHeardAt endedAt?',
    ),
    refusedWebhooks: listOf(
      'webhooks to these bots that the gateway refused, without paths and senders',
      'botId flowId? cause count firstAt lastAt',
    ),
    subscriptions: listOf(
      'subscriptions to events that the user created',
      'id url types format disabledBecause? createdAt',
    ),
    activity: listOf(
      'audit events about the user, newest first, without the addresses of operators',
      'at kind actor applicationId? botId? address? userAgent? detail',
      { kind: Type.Enum(auditKinds), actor: Type.Enum(auditActors), detail: Type.Record(Type.String()) },
    ),
    logs: listOf('runtime logs of these bots, newest first', 'botId at level message'),
    deliveries: listOf(
      'webhooks to these bots, newest first, without headers and bodies',
      'botId id flowId state attempts bodyBytes acceptedAt finishedAt?',
      { state: Type.Enum(['waiting', 'processing', 'delivered', 'dead']) },
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
  yield* member('activity', people.activity(userId), activityOf)
  yield* member(
    'logs',
    ofEach(botIds, (botId) => people.logs(botId)),
    (entry) => ({ ...entry, number: undefined }),
  )
  yield* member(
    'deliveries',
    ofEach(botIds, async function* (botId) {
      for await (const events of people.deliveries(botId)) yield events.map((event) => deliveryOf(botId, event))
    }),
    (delivery) => delivery,
  )
  yield '}'
}

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

async function* ofEach<Batch>(botIds: readonly BotId[], read: (botId: BotId) => AsyncIterable<Batch>) {
  for (const botId of botIds) yield* read(botId)
}

function activityOf({ atMs, kind, actor, applicationId, botId, address, userAgent, detail }: ShownEvent) {
  return { atMs, kind, actor, applicationId, botId, address, userAgent, detail }
}

function deliveryOf(
  botId: BotId,
  { id, flowId, state, attempts, bodyBytes, acceptedAtMs, finishedAtMs }: EventSummary,
) {
  return { botId, id, flowId, state: stateNames[state], attempts, bodyBytes, acceptedAtMs, finishedAtMs }
}
