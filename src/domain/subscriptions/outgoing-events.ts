import type { ApplicationStore } from '../applications/application-store.ts'
import type { Audit } from '../audit/audit.ts'
import { isolatedSteps, type OnFault, oneAtATime, type SingletonDuty } from '../background-work.ts'
import type { BotStore } from '../bots/bot.ts'
import type { Snapshots } from '../bots/status/snapshots.ts'
import type { StatusHistoryStore } from '../bots/status/status-history-store.ts'
import type { Build } from '../build.ts'
import type { Clock } from '../clock.ts'
import type { Secrets, UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { SealedTexts } from '../sealed-text.ts'
import type { DeliveryQueue } from '../webhooks/delivery-queue.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import { createAuditReader } from './audit-source.ts'
import { type AnnouncementStore, createBotWatch } from './bot-watch.ts'
import type { ChatMessages } from './chat-messages.ts'
import { createDeadLetterSource } from './dead-letter-source.ts'
import type { OutgoingRequests } from './outgoing-requests.ts'
import { posting } from './posting.ts'
import { createPublisher } from './publisher.ts'
import { Sender } from './sender.ts'
import { createSubscriptionLog } from './subscription-log.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import { createSubscriptions } from './subscriptions.ts'

interface OutgoingEventsParts {
  stores: {
    subscriptions: SubscriptionStore
    announcements: AnnouncementStore
    statusHistory: Pick<StatusHistoryStore, 'changesOf'>
    applications: Pick<ApplicationStore, 'findById'>
    bots: Pick<BotStore, 'findBot'>
  }
  queue: DeliveryQueue
  dispatcher: Dispatcher
  snapshots: Snapshots
  requests: OutgoingRequests
  messages: ChatMessages
  allowHttp: boolean
  mustConfirmEmail(userId: UserId): Promise<boolean>
  build: Build
  duty: SingletonDuty
  audit: Audit
  secrets: Secrets
  clock: Clock
  onFault: OnFault
}

export type OutgoingEvents = ReturnType<typeof createOutgoingEvents>

export function createOutgoingEvents(parts: OutgoingEventsParts) {
  const { stores, queue, secrets, duty, clock, onFault } = parts
  const sealed = new SealedTexts(secrets.keysFor('signing secrets of subscriptions'))
  const publisher = createPublisher({ store: stores.subscriptions, queue, clock, onFault })
  const subscriptions = createSubscriptions({ ...parts, store: stores.subscriptions, publisher, sealed })
  const post = posting({
    ...parts,
    store: stores.subscriptions,
    sealed,
    userAgent: `Gatehouse/${parts.build.version}`,
  })
  const sender = new Sender({ ...parts, store: stores.subscriptions, post })
  const { announcements, applications, bots, statusHistory } = stores
  const idKey = secrets.keyFor('event IDs')
  const source = { ...parts, announcements, applications, bots, statusHistory, publisher, idKey }
  const readAudit = createAuditReader(source)
  const compareBots = createBotWatch({ ...source, subscriptions: stores.subscriptions })
  const deadLetters = createDeadLetterSource(source)
  const attempt = isolatedSteps(onFault)
  const ofAudit = oneAtATime(() => attempt('audit events for subscriptions', {}, readAudit))
  const ofBots = oneAtATime(() => attempt('bot watch for subscriptions', {}, compareBots))
  const ofDeadLetters = oneAtATime(() => attempt('dead letter report', {}, () => deadLetters.report()))
  let stops: (() => void)[] = []

  return {
    subscriptions,
    log: createSubscriptionLog({ subscriptions, log: queue.log, queue, clock }),

    /** The dispatcher must already have been started. Dead letters run on every node, the other sources on one. */
    start() {
      sender.start()
      stops = [
        clock.every(limits.auditWatchMs, () => duty.isOurs && ofAudit.run()),
        clock.every(limits.botWatchMs, () => duty.isOurs && ofBots.run()),
        clock.every(limits.deadLetterReportMs, ofDeadLetters.run),
      ]
    },

    /** Resolves once the last dead letters are reported. The dispatcher must still be running. */
    async stop() {
      for (const stop of stops) stop()
      await Promise.all([ofAudit.running, ofBots.running, ofDeadLetters.running])
      deadLetters.close()
      await ofDeadLetters.run()
      await sender.stop()
    },

    async prune(most: number) {
      await announcements.stopAuditReader()
      return announcements.prune(most)
    },
  }
}
