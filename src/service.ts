import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { chatMessages } from './adapters/chat/chat-messages.ts'
import { guardedRequests } from './adapters/outgoing/guarded-requests.ts'
import { simpleWebauthn } from './adapters/webauthn/simple-webauthn.ts'
import { openTracing, smtpTransport, upstreamProviders } from './adapters-on-demand.ts'
import type { Config } from './config/config.ts'
import { createAccounts } from './domain/accounts/accounts.ts'
import type { HashingCost } from './domain/accounts/credential-hashing.ts'
import { createLinkedAccounts } from './domain/accounts/linked-accounts/linked-accounts.ts'
import { OutgoingMail } from './domain/accounts/mail/outgoing-mail.ts'
import { createPasskeys } from './domain/accounts/passkeys/passkeys.ts'
import { createApplications } from './domain/applications/applications.ts'
import { portalApplication } from './domain/applications/portal-application.ts'
import { RequestLog } from './domain/applications/request-log.ts'
import { createTryOutResults } from './domain/applications/try-out-results.ts'
import { Audit } from './domain/audit/audit.ts'
import { createAuthorization } from './domain/authorization/authorization.ts'
import { FaultBursts } from './domain/background-work.ts'
import { createBots } from './domain/bots/bots.ts'
import type { Build } from './domain/build.ts'
import type { Clock } from './domain/clock.ts'
import { Secrets, type UserId } from './domain/ids-and-secrets.ts'
import * as limits from './domain/limits/limits.ts'
import { createOperatorKeys, WrongOperatorKeys } from './domain/operators/operator-keys.ts'
import { createPeople } from './domain/people/people.ts'
import { createProfile } from './domain/profile/profile.ts'
import { Readiness } from './domain/readiness.ts'
import { createOutgoingEvents } from './domain/subscriptions/outgoing-events.ts'
import { Dispatcher } from './domain/webhooks/dispatcher.ts'
import { createEventAccess } from './domain/webhooks/event-access.ts'
import { GatewayHealth } from './domain/webhooks/gateway-health.ts'
import { RefusalLog } from './domain/webhooks/refusal-log.ts'
import { createWebhooks, followBots } from './domain/webhooks/webhooks.ts'
import { openEmbeddedStorage } from './storage/embedded-storage.ts'
import type { Storage, StorageParts } from './storage/storage.ts'
import { startFlushing, startUpkeep } from './upkeep/upkeep.ts'

export interface ServiceParts {
  config: Config
  /** Plaintext keys, read or generated before anything else starts. */
  keys: { secretKey: string; previousSecretKeys: readonly string[]; operatorKey: string }
  build: Build
  /** Replaces the storage's clock in tests and in the demo. */
  clock?: Clock
  /** Replaces the production hashing cost in tests. */
  hashingCost?: HashingCost | undefined
  /** Replaces the timeout for connecting to PostgreSQL in tests. */
  connectMs?: number
  log: FastifyBaseLogger
}

/** Grace period for the email in flight when the service closes. */
const mailDrainMs = 1_000
/** Grace period for sending the last traces when the service closes. */
const tracesDrainMs = 500

/** The adapters and domain services, wired together once. */
export type Service = Awaited<ReturnType<typeof openService>>

/**
 * Opens the storage and wires the service on top of it. If that fails, closes everything again.
 *
 * @throws StoreUnavailable if the database can't be reached; SecretKeyMismatch if its data was created with another
 * key.
 */
export async function openService(parts: ServiceParts) {
  const { config, keys, clock, connectMs, log } = parts
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const secrets = new Secrets(keys.secretKey, keys.previousSecretKeys)
  const opened: { close(): Promise<void> }[] = []
  try {
    const storage = await openStorage({ config, secrets, clock, connectMs, log })
    opened.push(storage)
    return await wireService(storage, secrets, parts, opened)
  } catch (error) {
    for (const part of opened.reverse()) await part.close().catch(() => {})
    throw error
  }
}

async function wireService(
  storage: Storage,
  secrets: Secrets,
  { config, keys, hashingCost, log, build }: ServiceParts,
  opened: { close(): Promise<void> }[],
) {
  const { stores, queue, clock, duty, statusRequests } = storage
  const faultBursts = new FaultBursts({ clock, log })
  const { onFault } = faultBursts

  // Each service depends only on services created above it.
  const audit = new Audit({ store: stores.audit, secrets, clock })
  const common = { audit, secrets, clock }
  const operatorKeys = createOperatorKeys({ clearTextKey: keys.operatorKey, store: stores.operatorKeys, ...common })
  const wrongOperatorKeys = new WrongOperatorKeys({ audit, clock, onFault })
  const mail =
    config.smtp &&
    new OutgoingMail({
      ...stores,
      ...common,
      queue: stores.mail,
      duty,
      transport: await smtpTransport(config.smtp, config.base.url),
      onFault: (error, what) => log.error({ err: error }, what),
    })
  const accounts = createAccounts({ ...stores, ...common, mail, signUp: config.signUp, hashingCost })
  const mustConfirmEmail = (userId: UserId) => accounts.users.mustConfirmEmail(userId)
  const tryOutResults = createTryOutResults({ store: stores.tryOutResults, secrets, clock })
  const providers = await upstreamProviders(config, clock)
  const passkeys = createPasskeys({
    store: stores.passkeys,
    ceremonies: simpleWebauthn(config.base.url),
    providers,
    sessions: accounts.sessions,
    ...common,
  })
  const linkedAccounts = createLinkedAccounts({
    store: stores.linkedAccounts,
    providers,
    sessions: accounts.sessions,
    signUpOpen: accounts.signUpOpen,
    ...common,
  })
  const requests = new RequestLog({ store: stores.requests, clock })
  const applications = createApplications({ store: stores.applications, ...common })
  await applications.provisioned.ensureFirstParty(portalApplication(config.portal.url))
  const authorization = createAuthorization({
    ...stores,
    ...common,
    clients: applications.clients,
    requests,
    portalUrl: config.portal.url,
  })
  const bots = createBots({
    ...stores,
    ...common,
    ownersManageFlows: config.ownerFlows,
    mustConfirmEmail,
    queue,
    duty,
    news: storage.news,
    onFault,
  })
  opened.push(bots)
  const profile = createProfile({ store: stores.profiles, bots, clock, verifiedEmailOnly: config.smtp !== undefined })

  const webhooks = createWebhooks({ ...common, listeners: stores.listeners, queue, access: bots.access })
  const eventAccess = createEventAccess({ access: bots.access, queue, audit, clock })
  const refusalLog = new RefusalLog({ store: stores.refusedWebhooks, access: bots.access, clock })
  const gatewayHealth = new GatewayHealth({ queue, clock, elapsedMs: () => performance.now() })
  const readiness = new Readiness({
    probeIdentity: () => storage.probe(),
    async checkGateway() {
      const report = await gatewayHealth.check()
      return report.kind === 'healthy' ? { state: 'ok' } : { state: report.reason, cause: gatewayHealth.failure }
    },
    clock,
    onChange({ ready, reason, checks, cause }) {
      if (ready) log.info({ checks }, 'ready again')
      else log.warn({ reason, checks, err: cause }, `not ready: ${reason}`)
    },
  })
  const dispatcher = new Dispatcher({
    queue,
    clock,
    onFault: (error, doing, subject) => faultBursts.note(error, `${doing} failed, retrying`, subject),
  })
  await dispatcher.start()
  followBots({ bots, webhooks, dispatcher, refusalLog, onFault })
  const events = createOutgoingEvents({
    ...storage,
    ...common,
    ...bots,
    requests: guardedRequests(config.eventsAllowPrivate),
    messages: chatMessages,
    allowHttp: config.eventsAllowPrivate,
    dispatcher,
    build,
    mustConfirmEmail,
    onFault,
  })
  events.start()
  const { subscriptions } = events
  const people = createPeople({ people: stores.people, audit, bots, events: queue.log, subscriptions, clock })
  accounts.recovery.onFirstProof((ended) => people.applyRemoval(ended))
  const tracing = config.tracing && (await openTracing(config.tracing, { clock, log }))

  function expired(table: Parameters<typeof stores.pruneExpired>[0], keptMs = 0) {
    return (limit: number) => stores.pruneExpired(table, clock.nowMs() - keptMs, limit)
  }
  /** Also deletes rows beyond `total`. */
  function held(table: Parameters<typeof stores.trim>[0], total: number, keptMs = 0) {
    return async (limit: number) =>
      (await expired(table, keptMs)(limit)) + (await stores.trim(table, total, limits.rowsTrimmedAtOnce))
  }
  const pruneAttempts = held('authorization_attempts', limits.attemptsMax, limits.expiredAttemptsKeptMs)
  const upkeep = startUpkeep({
    clock,
    log,
    duty,
    jobs: [
      { name: 'requests for bot status', prune: (limit) => statusRequests.prune(clock.nowMs(), limit) },
      {
        name: 'authorizations',
        prune: async (limit) => (await pruneAttempts(limit)) + (await authorization.prune(limit)),
      },
      { name: 'requests of applications', prune: (limit) => requests.prune(limit) },
      { name: 'webhook events', prune: (limit) => queue.prune(clock.nowMs(), limit) },
      { name: 'refused webhooks', prune: expired('refused_webhooks', limits.refusedWebhooksRetentionMs) },
      { name: 'marks of webhooks', prune: (limit) => queue.pruneMarks(clock.nowMs(), limit) },
      { name: 'announcements', prune: (limit) => events.prune(limit) },
      { name: 'audit', prune: (limit) => audit.prune(limit) },
      { name: 'bot status history', prune: (limit) => bots.history.prune(limit) },
      { name: 'bot status changes', prune: expired('status_changes', limits.statusDaysKept * limits.statusDayMs) },
      { name: 'sessions', prune: expired('sessions') },
      { name: 'results of try-outs', prune: expired('try_out_results') },
      { name: 'personal access tokens', prune: expired('personal_tokens', limits.expiredPersonalTokensKeptMs) },
      { name: 'one-time links', prune: expired('one_time_links') },
      { name: 'invitations', prune: expired('invitations') },
      { name: 'passkey challenges', prune: held('passkey_challenges', limits.passkeyChallengesMax) },
      { name: 'visits to providers', prune: held('provider_visits', limits.providerVisitsMax) },
    ],
  })

  const stopFlushing = startFlushing({
    clock,
    log,
    flushes: [
      { name: 'use of applications', flush: () => authorization.liveTokens.recordUse() },
      { name: 'requests of applications', flush: () => requests.flush() },
      { name: 'use of client secrets', flush: () => applications.clients.recordSecretUse() },
      { name: 'use of operator keys', flush: () => operatorKeys.recordUse() },
      { name: 'wrong operator keys', flush: () => wrongOperatorKeys.flush() },
      { name: 'use of personal access tokens', flush: () => accounts.personalTokens.recordUse() },
      { name: 'refused webhooks', flush: () => refusalLog.flush() },
      { name: 'use of flow keys', flush: () => webhooks.recordKeyUse() },
      { name: 'bot status history', flush: () => bots.history.flush() },
      { name: 'use of runtime keys', flush: () => bots.runtimes.recordUse() },
      { name: 'counts of webhooks', flush: () => queue.flushCounts() },
      { name: 'sessions seen', flush: () => accounts.sessions.recordSeen() },
    ],
  })
  mail?.start()

  return {
    build,
    config,
    clock,
    log,
    secrets,
    audit,
    accounts,
    tryOutResults,
    passkeys,
    linkedAccounts,
    applications,
    requests,
    authorization,
    bots,
    profile,
    people,
    webhooks,
    eventAccess,
    refusalLog,
    gatewayHealth,
    readiness,
    statusRequests,
    dispatcher,
    events,
    tracing,
    queue,
    upkeepFigures: upkeep.figures,
    measuredStorage: storage.measured,
    operatorKeys,
    wrongOperatorKeys,
    async close() {
      readiness.close()
      await upkeep.stop()
      await stopFlushing()
      // An unresponsive mail server must not block the shutdown. The email is sent after the next start.
      await Promise.race([mail?.stop(), sleep(mailDrainMs, undefined, { ref: false })])
      await events.stop()
      await dispatcher.stop()
      // An unresponsive trace collector must not block the shutdown either. Traces that are not sent in time are lost.
      await Promise.race([tracing?.close(), sleep(tracesDrainMs, undefined, { ref: false })])
      await bots.close()
      await storage.close()
    },
  }
}

async function openStorage(parts: StorageParts): Promise<Storage> {
  const { databaseUrls } = parts.config
  if (databaseUrls === undefined) return openEmbeddedStorage(parts)
  // Imported on demand, because the driver is needed only with PostgreSQL.
  const { openPostgresStorage } = await import('./storage/postgres-storage.ts')
  return openPostgresStorage(databaseUrls, parts)
}
