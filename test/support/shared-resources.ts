import * as limits from '../../src/domain/limits/limits.ts'

/** The kinds of parties that have shares: a client address (IPv6 by /64), a user, and what belongs to users. */
type Party =
  | 'address'
  | 'browser'
  | 'user'
  | 'user and address'
  | 'application'
  | 'endpoint of an application'
  | 'bot'
  | 'flow'
  | 'runtime'
  | 'subscription'
  | 'host'
  | 'session'
  | 'token'

export interface SharedResource {
  /** The resource, in the plural. */
  name: string
  /** How much there is for all parties together. `undefined` if only the shares limit it. */
  total?: string
  /** How much one party can have, by kind of party. */
  shares: Readonly<Partial<Record<Party, string>>>
  /** What happens once a party has used up its share. */
  refusal: string
}

const count = (number: number) => number.toLocaleString('en-US')
const size = (bytes: number) => `${count(bytes / 1_048_576)} MiB`
const perWindow = (number: number, windowMs: number) =>
  `${count(number)} ${windowMs === 60_000 ? 'a minute' : windowMs === 3_600_000 ? 'an hour' : `in ${windowMs / 60_000} minutes`}`
const budget = ({ burst, perSecond }: { burst: number; perSecond: number }) =>
  `${count(burst)} at once and ${perSecond} a second`
const byteBudget = ({ burst, perSecond }: { burst: number; perSecond: number }) =>
  `${size(burst)} at once and ${size(perSecond)} a second`

const oldestDeleted = 'the party’s oldest are deleted'
const oldestDeletedAlsoInTotal = `${oldestDeleted}; beyond the total, those of the party with the most`
const refused = 'more are refused'
const tooManyRequests = '429'
const unavailable = '503'

/**
 * Everything that several parties use up together, and how it is divided. `docs/security.md` shows the list as a table.
 * `test/attacks/shares.test.ts` fills one party's share of each entry, and shows that another party is still served.
 */
export const sharedResources = {
  attempts: {
    name: 'authorization attempts',
    total: count(limits.attemptsMax),
    shares: {
      address: count(limits.attemptsPerAddress.short),
      user: count(limits.attemptsPerUser.short),
      application: count(limits.pushedRequestsPerApplication.short),
    },
    refusal: oldestDeletedAlsoInTotal,
  },
  longAttempts: {
    name: `authorization attempts whose \`state\` and redirect URI exceed ${limits.attemptShortMaxCharacters} characters`,
    shares: {
      address: count(limits.attemptsPerAddress.long),
      user: count(limits.attemptsPerUser.long),
      application: count(limits.pushedRequestsPerApplication.long),
    },
    refusal: oldestDeleted,
  },
  challenges: {
    name: 'passkey challenges',
    total: count(limits.passkeyChallengesMax),
    shares: {
      address: count(limits.passkeyChallengesPerAddress),
      user: count(limits.passkeyChallengesPerAddress),
      browser: count(limits.passkeyChallengesPerBrowser),
    },
    refusal: oldestDeletedAlsoInTotal,
  },
  providerVisits: {
    name: 'visits to sign-in providers',
    total: count(limits.providerVisitsMax),
    shares: { address: count(limits.providerVisitsPerAddress) },
    refusal: oldestDeletedAlsoInTotal,
  },
  accounts: {
    name: 'new accounts',
    shares: { address: perWindow(limits.signUpsPerAddress, limits.signUpWindowMs) },
    refusal: tooManyRequests,
  },
  passwordChecks: {
    name: 'failed passwords',
    shares: {
      address: perWindow(limits.signInFailuresPerAddress, limits.signInWindowMs),
      user: perWindow(limits.signInFailuresPerAccount, limits.signInWindowMs),
    },
    refusal: tooManyRequests,
  },
  secretChecks: {
    name: 'wrong client secrets',
    shares: { address: perWindow(limits.clientAuthenticationFailuresPerMinute, 60_000) },
    refusal: tooManyRequests,
  },
  sessions: {
    name: 'sessions',
    shares: { user: count(limits.sessionsPerUser) },
    refusal: 'the user’s least recently used ends',
  },
  auditedActs: {
    name: 'audited changes',
    shares: {
      address: budget(limits.auditedActsPerNetwork),
      'user and address': budget(limits.auditedActsPerUser),
    },
    refusal: tooManyRequests,
  },
  applications: {
    name: 'applications',
    shares: { user: count(limits.applicationsPerOwner) },
    refusal: refused,
  },
  failedRequests: {
    name: 'failed requests of applications',
    shares: { 'endpoint of an application': count(limits.failedRequestsKept) },
    refusal: oldestDeleted,
  },
  flows: {
    name: 'flows',
    shares: { bot: count(limits.flowsPerBot) },
    refusal: refused,
  },
  invitations: {
    name: 'invitations',
    shares: { bot: count(limits.invitationsPerBot) },
    refusal: refused,
  },
  collaborators: {
    name: 'collaborators',
    shares: { bot: count(limits.collaboratorsPerBot) },
    refusal: refused,
  },
  runtimes: {
    name: 'runtimes',
    shares: { user: count(limits.runtimesPerOwner) },
    refusal: refused,
  },
  personalTokens: {
    name: 'personal access tokens',
    shares: { user: count(limits.personalTokensPerUser) },
    refusal: refused,
  },
  subscriptions: {
    name: 'subscriptions to events',
    shares: { user: count(limits.subscriptionsPerOwner) },
    refusal: refused,
  },
  outgoingRequests: {
    name: 'requests to subscriptions in flight on a node',
    total: count(limits.outgoingRequestsMax),
    shares: {
      user: count(limits.outgoingRequestsPerOwner),
      subscription: count(limits.outgoingRequestsPerSubscription),
      host: `${count(limits.outgoingRequestsPerHost)}, or ${count(limits.outgoingRequestsPerSlowHost)} if it responds slowly,`,
    },
    refusal: 'its events wait; beyond the total, the user with the fewest is next',
  },
  ownerApiRequests: {
    name: 'requests to the API for owners',
    shares: { token: perWindow(limits.ownerApiRequestsPerMinute, 60_000) },
    refusal: tooManyRequests,
  },
  statusRequests: {
    name: 'bot status requests',
    shares: { address: perWindow(limits.botStatusRequestsPerMinute, 60_000) },
    refusal: tooManyRequests,
  },
  statusStreams: {
    name: 'live status pages',
    total: count(limits.statusStreamsMax),
    shares: { address: count(limits.statusStreamsPerAddress) },
    refusal: `${tooManyRequests}; the page polls instead`,
  },
  deliveryStreams: {
    name: 'live delivery pages',
    total: count(limits.deliveryStreamsMax),
    shares: { address: count(limits.deliveryStreamsPerAddress) },
    refusal: `${unavailable}; the page polls instead`,
  },
  copyStreams: {
    name: 'streams with copies of webhooks on a node',
    total: count(limits.copyStreamsMax),
    shares: { address: count(limits.copyStreamsPerAddress), user: count(limits.copyStreamsPerOwner) },
    refusal: `${tooManyRequests}; beyond the total, an owner who has none gets the newest of the owner who has most, others ${unavailable}`,
  },
  copyBytes: {
    name: 'bytes of copies of webhooks',
    shares: { user: byteBudget(limits.copyBytesPerOwner) },
    refusal: 'the next copies wait',
  },
  keptWebhooks: {
    name: 'delivered webhooks kept for replay',
    total: `${count(limits.finishedEventsKept.done.events)} and ${size(limits.finishedEventsKept.done.bytes)}`,
    shares: {
      bot: `${count(limits.finishedEventsKept.done.eventsPerBot)} and ${size(limits.finishedEventsKept.done.bytesPerBot)}`,
    },
    refusal: oldestDeletedAlsoInTotal,
  },
  deadLetters: {
    name: 'dead letters',
    total: `${count(limits.finishedEventsKept.dead.events)} and ${size(limits.finishedEventsKept.dead.bytes)}`,
    shares: {
      bot: `${count(limits.finishedEventsKept.dead.eventsPerBot)} and ${size(limits.finishedEventsKept.dead.bytesPerBot)}`,
    },
    refusal: oldestDeletedAlsoInTotal,
  },
  arrivingBodies: {
    name: 'memory for webhook bodies that are arriving',
    total: size(limits.arrivingBodiesMaxBytes),
    shares: {
      address: 'half of what is free',
      bot: 'as much as is free',
    },
    refusal: unavailable,
  },
  arrivingForms: {
    name: 'memory for bodies of OAuth requests that are arriving',
    total: size(limits.arrivingBodiesMaxBytes),
    shares: { address: 'half of what is free' },
    refusal: unavailable,
  },
  arrivingPosts: {
    name: 'memory for bodies of other requests that are arriving at a URL',
    total: size(limits.arrivingBodiesMaxBytes),
    shares: { address: 'half of what is free' },
    refusal: unavailable,
  },
  waitingWebhooks: {
    name: 'waiting webhooks',
    total: '`QUEUE_MAX_EVENTS` and `QUEUE_MAX_BYTES`',
    shares: {
      bot: `\`QUEUE_MAX_EVENTS_PER_BOT\` and \`QUEUE_MAX_BYTES_PER_BOT\`, and ${limits.botShareOfFreeQueue} times what is free`,
    },
    refusal: unavailable,
  },
  refusedWebhooks: {
    name: 'refused webhooks',
    shares: { flow: count(limits.refusedWebhooksKept), bot: `${count(limits.refusedWebhooksKept)} to no flow` },
    refusal: oldestDeleted,
  },
  runtimeLogs: {
    name: 'log entries of runtimes',
    shares: { bot: count(limits.logEntriesKeptPerBot) },
    refusal: oldestDeleted,
  },
  runtimeSessions: {
    name: 'sessions of runtimes on a node',
    shares: { runtime: count(limits.runtimeSessionsMax), user: count(limits.runtimeSessionsPerOwner) },
    refusal: 'closed with 1013',
  },
  runtimeBytes: {
    name: 'bytes from runtimes',
    shares: {
      session: byteBudget(limits.runtimeBytesPerSession),
      user: byteBudget(limits.runtimeBytesPerOwner),
    },
    refusal: 'not read meanwhile, then closed with 1013',
  },
} as const satisfies Record<string, SharedResource>
