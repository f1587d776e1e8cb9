import type { ApplicationStore } from '../applications/application-store.ts'
import type { OnFault } from '../attempt.ts'
import type { Audit } from '../audit/audit.ts'
import type { BotStore } from '../bots/bot-store.ts'
import type { Snapshots } from '../bots/status/snapshots.ts'
import type { Build } from '../build.ts'
import type { Clock } from '../clock.ts'
import type { SingletonDuty } from '../duty.ts'
import { SealedTexts } from '../sealed-text.ts'
import type { Secrets } from '../secret.ts'
import type { DeliveryQueue } from '../webhooks/delivery-queue.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import type { AnnouncementStore } from './announcement-store.ts'
import { AuditSource } from './audit-source.ts'
import { BotWatch } from './bot-watch.ts'
import { DeadLetterSource } from './dead-letter-source.ts'
import { EventSources } from './event-sources.ts'
import type { OutgoingRequests } from './outgoing-requests.ts'
import { Posting } from './posting.ts'
import { Publisher } from './publisher.ts'
import { Sender } from './sender.ts'
import { SubscriptionLog } from './subscription-log.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import { Subscriptions } from './subscriptions.ts'

export interface OutgoingEventsParts {
  stores: {
    subscriptions: SubscriptionStore
    announcements: AnnouncementStore
    applications: Pick<ApplicationStore, 'findById'>
    bots: Pick<BotStore, 'findBot'>
  }
  queue: DeliveryQueue
  dispatcher: Dispatcher
  snapshots: Snapshots
  requests: OutgoingRequests
  /** Whether subscriptions may have `http://` URLs. */
  allowHttp: boolean
  build: Build
  duty: SingletonDuty
  audit: Audit
  secrets: Secrets
  clock: Clock
  onFault: OnFault
}

/** The services for outgoing events. */
export interface OutgoingEvents {
  subscriptions: Subscriptions
  log: SubscriptionLog
  /** Starts finding and sending events. The dispatcher must already have been started. */
  start(): void
  /** Stops finding and sending events. The dispatcher must still be running. */
  stop(): Promise<void>
  /** Deletes up to `most` announcements that are no longer needed. Returns the number deleted. */
  prune(most: number): Promise<number>
}

export function createOutgoingEvents(parts: OutgoingEventsParts): OutgoingEvents {
  const { stores, queue, secrets, clock, onFault } = parts
  const { announcements } = stores
  const sealed = new SealedTexts(secrets.keysFor('signing secrets of subscriptions'))
  const publisher = new Publisher({ store: stores.subscriptions, queue, clock, onFault })
  const subscriptions = new Subscriptions({ ...parts, store: stores.subscriptions, publisher, sealed })
  const posting = new Posting({
    ...parts,
    store: stores.subscriptions,
    sealed,
    userAgent: `Gatehouse/${parts.build.version}`,
  })
  const sender = new Sender({ ...parts, store: stores.subscriptions, posting })
  const source = { ...parts, announcements, publisher, idKey: secrets.keyFor('event IDs') }
  const sources = new EventSources({
    ...parts,
    audit: new AuditSource({ ...source, applications: stores.applications }),
    bots: new BotWatch({ ...source, subscriptions: stores.subscriptions, bots: stores.bots }),
    deadLetters: new DeadLetterSource({ ...source, bots: stores.bots }),
  })
  return {
    subscriptions,
    log: new SubscriptionLog({ subscriptions, log: queue.log, queue, clock }),
    start() {
      sender.start()
      sources.start()
    },
    async stop() {
      await sources.stop()
      await sender.stop()
    },
    async prune(most) {
      await announcements.stopAuditReader()
      return announcements.prune(most)
    },
  }
}
