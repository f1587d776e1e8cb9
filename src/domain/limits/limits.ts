/** All limits of the service, starting with those in the specification's table. */

export const authorizationCodeLifetimeSeconds = 300
export const accessTokenLifetimeSeconds = 900
export const refreshTokenLifetimeSeconds = 30 * 24 * 3_600
export const webhookPathMaxCharacters = 100
export const webhookBodyMaxBytes = 1_048_576
export const botStatusRequestsPerMinute = 60
export const botStatusCacheSeconds = 15
export const snapshotFreshForMs = 90_000

export const sessionLifetimeMs = 30 * 24 * 3_600_000
/** Maximum sessions of one user. One more ends the least recently used session. */
export const sessionsPerUser = 200
export const pinUnlockLifetimeMs = 12 * 3_600_000
export const wrongPinsBeforeLock = 5
export const pinLockMs = 15 * 60_000
/** Maximum lock. Each lock lasts twice as long as the one before, until the right PIN is entered. */
export const pinLockMaxMs = 24 * 3_600_000
export const pinMinDigits = 4
export const pinMaxDigits = 12
export const personNameMaxCharacters = 100
/** Maximum length of a name as sent. It is put on one line and trimmed before the shorter limit applies. */
export const nameAsSentMaxCharacters = 1_024
export const emailMaxCharacters = 254
export const codeHostingIdMaxCharacters = 64
export const userAgentMaxCharacters = 512
export const passwordMinCharacters = 8
export const passwordMaxCharacters = 256
/** Maximum length of a password as sent. Normalization can make it shorter. */
export const passwordAsSentMaxCharacters = 1_024
export const signInWindowMs = 15 * 60_000
export const signInFailuresPerAccount = 10
export const signInFailuresPerAddress = 50
/** Accounts that one client address can create in a window. With a mail server, `mailsPerAddress` applies as well. */
export const signUpWindowMs = 3_600_000
export const signUpsPerAddress = 100
/** Lifetime of a browser's device cookie, and maximum accounts that it lists. */
export const knownDeviceForMs = 365 * 24 * 3_600_000
export const accountsPerDevice = 5
/** Minimum age of a session's stored last use before it is updated. */
export const sessionSeenEveryMs = 5 * 60_000
export const emailLinkLifetimeMs = 24 * 3_600_000
export const passwordLinkLifetimeMs = 3_600_000
/** Lifetime of links created by the operator. */
export const operatorLinkLifetimeMs = 24 * 3_600_000
/** Mails per window: per client and email address, per client, and per email address. */
export const mailWindowMs = 3_600_000
export const mailsPerAccount = 3
export const mailsPerAddress = 20
export const mailsPerAccountInAll = 12
export const mailPollMs = 5_000
/** Waits after the first, second … failed attempt to send a mail. The last one repeats until the age limit. */
export const mailRetryWaitsMs = [60_000, 300_000, 900_000, 3_600_000] as const
export const mailAgeLimitMs = 24 * 3_600_000
/** Consecutive deferrals by the mail server after which a domain's mail is held back. */
export const mailDeferralsPerDomain = 3
export const mailDomainsHeldMax = 10_000
/** Consecutive failed mails after which the rest of the queue waits for the next poll. */
export const mailFailuresPerPoll = 3
export const passkeyChallengeLifetimeMs = 5 * 60_000
/** Open passkey ceremonies per browser, for several tabs. One more drops the oldest. */
export const passkeyChallengesPerBrowser = 8
/** The same limit across all browsers of one client address, or of one user. */
export const passkeyChallengesPerAddress = 500
/** The same limit across all browsers. */
export const passkeyChallengesMax = 20_000
export const passkeysPerUser = 20
export const passkeyNameMaxCharacters = 60
/** Maximum age of a session that can add and remove passkeys. An older one has to sign in again first. */
export const recentSignInMs = 15 * 60_000
/** Time for a browser to return from another provider. */
export const providerVisitLifetimeMs = 15 * 60_000
/** Visits to other providers stored per client address. One more deletes the oldest. */
export const providerVisitsPerAddress = 500
export const upstreamSubjectMaxCharacters = 255
/** Time limit of one request to another provider, and maximum size of its response. */
export const upstreamDeadlineSeconds = 5
export const upstreamAnswerMaxBytes = 262_144
/** Lifetime of a kept form, and maximum kept forms per user. */
export const keptFormLifetimeMs = 3_600_000
export const keptFormsPerUser = 8
/** Lifetime of the cookie that names a browser's last signed-in user. */
export const lastUserKnownForMs = 2 * sessionLifetimeMs
/** How long expired codes and tokens are kept, so that they are reported as expired rather than unknown. */
export const expiredTokensKeptMs = 3_600_000
export const authorizationAttemptLifetimeMs = 30 * 60_000
/**
 * Attempts stored per client address for browsers without a session, expired ones included. One more deletes the
 * oldest.
 */
export const attemptsPerAddress = 1_000
/** The same limit per signed-in user, and per application that pushes its requests. */
export const attemptsPerUser = 100
export const pushedRequestsPerApplication = 5_000
export const pushedRequestLifetimeSeconds = 90
export const clientAuthenticationFailuresPerMinute = 100
/** Default body limit of forms, OAuth requests and provisioning records. */
export const requestBodyMaxBytes = 65_536
export const redirectUrisPerApplication = 50
/** Several secrets can be valid at once, so that servers can switch one by one. */
export const clientSecretsMax = 2
export const secretLabelMaxCharacters = 50
/** Maximum length of each OAuth request parameter. */
export const oauthParameterMaxCharacters = 4_096
/** Kept per application: the latest failed requests, and days of request counts. */
export const failedRequestsKept = 50
export const requestDaysKept = 30
export const redirectUriMaxCharacters = 2_048
export const websiteUrlMaxCharacters = 2_048
export const applicationNameMaxCharacters = 100
export const stateMaxCharacters = 4_096
/** How long audit events are kept. */
export const auditRetentionMs = 400 * 24 * 3_600_000
export const auditUserAgentMaxCharacters = 200
export const auditDetailMaxCharacters = 1_000
/** Audit events shown on a card, and per page of the full list. */
export const activityOnCard = 20
export const activityPerPage = 50
/** Audit events in one export: default and maximum. */
export const auditExportDefault = 10_000
export const auditExportMax = 1_000_000
/**
 * If a refresh token is reused this soon after its rotation, from the same origin, the cause is probably a client race
 * and not theft.
 */
export const clientRaceWithinMs = 10_000
export const userinfoLogsMax = 100
/** Maximum entries of each other list in a userinfo response. The oldest are included, the rest is left out. */
export const userinfoListMax = 1_000
/** Maximum server IDs over all entries of `guilds` in one userinfo response. */
export const userinfoGuildIdsMax = 100_000

export const provisioningBodyMaxBytes = 1_048_576
export const scopeDescriptionMaxCharacters = 200
/** Maximum bots listed on a user's page of bots. */
export const botsListedMax = 1_000
export const botsPerPage = 25
/** Search of the guides: characters and words used, and results shown. */
export const guideSearchMaxCharacters = 100
export const guideSearchWordsMax = 8
export const guideFoundMax = 30
export const guideCacheSeconds = 300
/** Coworkers without an account that one user can try to add per hour. */
export const unknownCoworkersPerHour = 20
/** Open invitations per bot. */
export const invitationsPerBot = 20
/** Time for the invited person to accept, and then the same time for the owner to confirm. */
export const invitationLifetimeMs = 7 * 24 * 3_600_000
export const invitationLabelMaxCharacters = 100
/** How long the message of a form post is kept until the next page shows it. */
export const flashLifetimeSeconds = 60
/** Page sizes of a bot's flows and deliveries. */
export const flowsPerPage = 25
export const deliveriesPerPage = 20
/** Page size of a bot's runtime logs. */
export const logEntriesPerPage = 50
export const botNameMaxCharacters = 100
export const avatarMaxCharacters = 2_048
export const publicCodeMaxCharacters = 100
export const flowKeyMaxCharacters = 256
/** How long the old key of a flow or runtime stays valid after a new one is created. */
export const keyOverlapMs = 24 * 3_600_000
export const signingSecretMaxCharacters = 256
export const signaturePrefixMaxCharacters = 32
export const headerNameMaxCharacters = 64
/** Maximum difference between a signed timestamp and our clock, in either direction. */
export const signatureToleranceMs = 300_000
/** Maximum signatures checked in one header. Senders send two while they rotate their secret. */
export const signaturesTriedMax = 8
export const dedupeWindowMaxSeconds = 24 * 3_600
export const dedupePointerMaxCharacters = 256
export const capabilityMaxCharacters = 64
export const capabilitiesPerCoworker = 64
export const guildsPerBot = 10_000
export const botsPerRuntime = 1_000
export const runtimesListedMax = 1_000
export const runtimesPerOwner = 100
export const logMessageMaxCharacters = 4_096
export const logEntriesPerPost = 1_000
export const logEntriesKeptPerBot = 1_000
/** Time for which a node caches a bot's status. */
export const botStatusSharedForMs = 1_000
export const botStatusesKeptMax = 10_000
/** Bot status requests per client address, and the maximum number of addresses tracked. */
export const botStatusRequests = { limit: botStatusRequestsPerMinute, windowMs: 60_000, maxKeys: 200_000 }
/** Interval at which heartbeats are stored. A crash loses the unstored ones; the next heartbeats replace them. */
export const heartbeatFlushMs = 15_000
/**
 * The same interval if other nodes read the heartbeats. With `botStatusSharedForMs`, all nodes show a heartbeat within
 * two seconds.
 */
export const sharedHeartbeatFlushMs = 500
/** Status history: slots for 48 hours, of which the last 24 are shown, and days (UTC). */
export const statusSlotMs = 5 * 60_000
export const statusSlotsKept = 576
export const statusSlotsShown = 288
export const statusDayMs = 24 * 3_600_000
export const statusDaysKept = 90
export const statusNoticeMaxCharacters = 200
/** Per client address. Image proxies fetch badges for many users from few addresses. */
export const badgeRequestsPerMinute = 600
export const badgeLabelMaxCharacters = 40
/** Open streams of status pages, in all and per client address. */
export const statusStreamsMax = 5_000
export const statusStreamsPerAddress = 30
export const statusStreamPollMs = 1_000
/** Interval of keep-alive messages on a stream without updates. */
export const statusStreamKeepAliveMs = 15_000
/** Unread bytes at which a stream is closed. */
export const statusStreamBacklogMaxBytes = 262_144
export const previewsKeptMax = 200
export const previewsWaitingMax = 16
/** Idle time after which the preview-drawing thread ends. */
export const previewIdleMs = 60_000
export const previewCacheSeconds = 60

/** Maximum length of the IDs of users, bots, applications, flows and runtimes. */
export const idMaxCharacters = 64
export const runtimeFrameMaxBytes = 2 * 1_048_576
export const runtimeHeartbeatMs = 30_000
export const runtimeSilenceMs = 75_000
export const leaseMs = 90_000
export const lostSocketGraceMs = 10_000
export const runtimeMaxCredit = 1_024
export const eventAgeLimitMs = 24 * 3_600_000
/** Waits after the first, second … failed attempt. One more failure makes a dead letter. */
export const retryWaitsMs = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const
export const listenerCacheMs = 5_000
export const webhookListenersCachedMax = 10_000
/** Bytes of a body that are still read after an early rejection, so that the sender gets to read the response. */
export const refusedBodyReadMaxBytes = 64 * 1_048_576
/**
 * Maximum bytes of bodies being received, over all senders. Beyond it, requests with more than a small body get 503.
 */
export const arrivingBodiesMaxBytes = 128 * 1_048_576
/** Bodies up to this size aren't counted, because their connection takes at least as much memory. */
export const uncountedBodyMaxBytes = 4_096
/** Maximum requests in flight, over all senders. Further ones get 503 with `Retry-After`. */
export const webhooksInFlightMax = 10_000
export const oauthRequestsInFlightMax = 2_000
export const overloadRetryAfterSeconds = 1
/** `Retry-After` if a request could not be stored or looked up. */
export const unavailableRetryAfterSeconds = 1
/** An acceptance that isn't durable by then gets 503. It may still be stored. */
export const webhookAcceptDeadlineMs = 10_000
/** A rejected sender's connection is closed after this time without data. */
export const refusedBodyIdleMs = 2_000
/** `Retry-After` if the queue is full. */
export const queueFullRetryAfterSeconds = 30
/**
 * Maximum bytes of received bodies that aren't on disk yet, over all bots. Beyond it the disk is too slow, and webhooks
 * get 503.
 */
export const unsyncedBodiesMaxBytes = 128 * 1_048_576
/** Maximum subjects of rejected requests logged separately, and the interval at which repeats are summarized. */
export const refusalSubjectsLoggedMax = 100
export const refusalsLoggedEveryMs = 60_000
export const healthProbeDeadlineMs = 1_000
/** Interval between checks of a node that isn't ready, and minimum time between checks caused by 503 responses. */
export const readinessWatchedEveryMs = 1_000
export const healthProbeSharedForMs = 1_000
export const deadLetterRetentionMs = 30 * 24 * 3_600_000
/** Acknowledged events can be replayed for this long, within the limits of `acknowledgedKept`. */
export const acknowledgedRetentionMs = 24 * 3_600_000
/** Maximum finished events kept, and bytes of their bodies, headers and errors: over all bots, and per bot. */
export const acknowledgedKept = {
  events: 200_000,
  bytes: 512 * 1_048_576,
  eventsPerBot: 50_000,
  bytesPerBot: 128 * 1_048_576,
} as const
export const deadLettersKept = {
  events: 1_000_000,
  bytes: 4_096 * 1_048_576,
  eventsPerBot: 100_000,
  bytesPerBot: 256 * 1_048_576,
} as const
/** Bytes of a body shown on the page of its event. */
export const bodyPreviewMaxBytes = 65_536
export const eventsPerPageMax = 200
/** Events that one call replays or discards. The page continues with another call. */
export const eventsPerBulk = 1_000
export const hourlyCountsRetentionMs = 7 * 24 * 3_600_000
/** Maximum stored length of a runtime's error. Longer ones are cut. */
export const runtimeErrorMaxCharacters = 4_096
export const runtimeInstanceMaxCharacters = 128
export const runtimeAgentMaxCharacters = 128
/** Maximum bots that a runtime names in `ready`. */
export const runtimeBotsPerReady = 10_000
/** Maximum bot reports in one heartbeat: more than fit into a frame if each report has all its members. */
export const runtimeReportsPerHeartbeat = 20_000
/** Maximum deliveries in one list of a frame. A session has far fewer in flight. */
export const runtimeDeliveriesPerFrame = 10_000
export const deliveryNameMaxCharacters = 128
export const runtimeLogEntriesPerFrame = 1_000
/** Maximum length of an ISO 8601 time. */
export const isoTimeMaxCharacters = 64
/** Maximum open sessions of one runtime on one node, across all of its keys. */
export const runtimeSessionsMax = 256
/**
 * Maximum reports and log entries of one session whose write is in flight. At the limit, the service stops reading the
 * connection until some are stored (back-pressure).
 */
export const runtimeUnstoredMax = 1_024
/** Similar faults are logged once in this time. */
export const faultBurstMs = 10_000
export const runtimeDrainMs = 5_000
/** Maximum bots named in one frame, so that the service's frames stay under 2 MiB too. */
export const botsPerRuntimeFrame = 10_000
/** Maximum events, and bytes of their bodies, that one claim reads into memory. */
export const claimMaxEvents = 64
export const claimBodiesMaxBytes = 2 * 1_048_576
/** Unread bytes in a runtime's socket at which the service stops sending events. */
export const runtimeSendBufferMaxBytes = 1_048_576
/**
 * Unread bytes at which the service also stops reading from the runtime. These are replies, and every frame would add
 * another.
 */
export const runtimeUnreadRepliesMaxBytes = 8 * 1_048_576
/** A runtime with unread bytes that reads nothing for this long is disconnected. */
export const runtimeStuckMs = 60_000
