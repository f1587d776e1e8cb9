/** Every limit of the service, first those of the specification's table in its order, then our own. */

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
/** How long a browser keeps its device mark, and how many accounts the mark holds. */
export const knownDeviceForMs = 365 * 24 * 3_600_000
export const accountsPerDevice = 5
/** A session's last use is stored when the stored one is this old. */
export const sessionSeenEveryMs = 5 * 60_000
export const emailLinkLifetimeMs = 24 * 3_600_000
export const passwordLinkLifetimeMs = 3_600_000
/** Of links that the operator hands over. */
export const operatorLinkLifetimeMs = 24 * 3_600_000
/**
 * Mails per window: for one email address by one client, by one client in all, and for one email address by all
 * clients.
 */
export const mailWindowMs = 3_600_000
export const mailsPerAccount = 3
export const mailsPerAddress = 20
export const mailsPerAccountInAll = 12
export const mailLookEveryMs = 5_000
/** Waits after the first, second … failed attempt to send a mail; the last one repeats until the age limit. */
export const mailRetryWaitsMs = [60_000, 300_000, 900_000, 3_600_000] as const
export const mailAgeLimitMs = 24 * 3_600_000
/** Consecutive deferrals by the mail server after which a domain's mail is held back. */
export const mailDeferralsPerDomain = 3
export const mailDomainsHeldMax = 10_000
/** Consecutive failed mails after which the rest of the queue waits for the next look. */
export const mailFailuresPerLook = 3
export const passkeyChallengeLifetimeMs = 5 * 60_000
/** Ceremonies that one browser may have begun at once, in its tabs; the oldest is forgotten. */
export const passkeyChallengesPerBrowser = 8
/** The same limit across all browsers of one client address, or of one user. */
export const passkeyChallengesPerAddress = 500
/** The same over all browsers. */
export const passkeyChallengesMax = 20_000
export const passkeysPerUser = 20
export const passkeyNameMaxCharacters = 60
/** A session younger than this may add and remove passkeys; an older one signs in again first. */
export const recentSignInMs = 15 * 60_000
/** How long a browser may take at another provider before it comes back. */
export const providerVisitLifetimeMs = 15 * 60_000
/** Visits to other providers stored per client address. One more deletes the oldest. */
export const providerVisitsPerAddress = 500
export const upstreamSubjectMaxCharacters = 255
/** What one request to another provider may take, and how much it may answer. */
export const upstreamDeadlineSeconds = 5
export const upstreamAnswerMaxBytes = 262_144
/** A form that was sent after its session had ended, until its person is back; and how many of one person. */
export const keptFormLifetimeMs = 3_600_000
export const keptFormsPerUser = 8
/** How long a browser knows who was signed in last. */
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
/** Forms, OAuth requests and provisioning records that name no limit of their own. */
export const requestBodyMaxBytes = 65_536
export const redirectUrisPerApplication = 50
/** Live at once, so that servers can change over one by one. */
export const clientSecretsMax = 2
export const secretLabelMaxCharacters = 50
/** Maximum length of each OAuth request parameter. */
export const oauthParameterMaxCharacters = 4_096
/** Of each application: its latest failed requests, and the days of its figures. */
export const failedRequestsKept = 50
export const requestDaysKept = 30
export const redirectUriMaxCharacters = 2_048
export const websiteUrlMaxCharacters = 2_048
export const applicationNameMaxCharacters = 100
export const stateMaxCharacters = 4_096
/** How long what happened stays on record. */
export const auditRetentionMs = 400 * 24 * 3_600_000
export const auditUserAgentMaxCharacters = 200
export const auditDetailMaxCharacters = 1_000
/** Events on a card, and on a page of the full list. */
export const activityOnCard = 20
export const activityPerPage = 50
/** Events that one export answers, unless it asks for fewer or more; and at most. */
export const auditExportDefault = 10_000
export const auditExportMax = 1_000_000
/** A refresh token used again so soon, from where it was used before, is probably a client that asked twice at once. */
export const clientRaceWithinMs = 10_000
export const userinfoLogsMax = 100
/** Entries of each other list of a userinfo response; the oldest made come first, what is beyond is left out. */
export const userinfoListMax = 1_000
/** Server ids over all entries of `guilds` in one userinfo response. */
export const userinfoGuildIdsMax = 100_000

export const provisioningBodyMaxBytes = 1_048_576
export const scopeDescriptionMaxCharacters = 200
/** Of one user, on the page of their bots. */
export const botsListedMax = 1_000
export const botsPerPage = 25
/** People named as coworkers who have no account here, by one who names them. */
export const unknownCoworkersPerHour = 20
/** Open invitations per bot. */
export const invitationsPerBot = 20
/** Time for the invited person to accept, and then the same time again for the owner to confirm. */
export const invitationLifetimeMs = 7 * 24 * 3_600_000
export const invitationLabelMaxCharacters = 100
/** How long the message of a form post is kept until the next page shows it. */
export const flashLifetimeSeconds = 60
/** On a page of a bot's flows, and of its deliveries. */
export const flowsPerPage = 25
export const deliveriesPerPage = 20
/** On a page of a bot's runtime logs. */
export const logEntriesPerPage = 50
export const botNameMaxCharacters = 100
export const avatarMaxCharacters = 2_048
export const publicCodeMaxCharacters = 100
export const flowKeyMaxCharacters = 256
/** How long the key of a flow or of a runtime works on when a new one was made. */
export const keyOverlapMs = 24 * 3_600_000
export const signingSecretMaxCharacters = 256
export const signaturePrefixMaxCharacters = 32
export const headerNameMaxCharacters = 64
/** How far the time that a sender signed may be from ours. */
export const signatureToleranceMs = 300_000
/** Of signatures in one header; senders give two while they change their secret. */
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
/** How long a public status, once read, answers for all who ask. */
export const botStatusSharedForMs = 1_000
export const botStatusesKeptMax = 10_000
/** The requests for a bot's status of each client address, and of how many addresses they are counted at once. */
export const botStatusRequests = { limit: botStatusRequestsPerMinute, windowMs: 60_000, maxKeys: 200_000 }
/** Heartbeats are stored behind their receipt; a crash loses as much of them, and the next ones make that good. */
export const heartbeatsBehindMs = 15_000
/** Where other nodes read them: with what a node remembers of a status, they show everywhere within two seconds. */
export const sharedHeartbeatsBehindMs = 500
/** The past of a bot: in slots for 48 hours, of which the last 24 are shown, and in days (UTC). */
export const statusSlotMs = 5 * 60_000
export const statusSlotsKept = 576
export const statusSlotsShown = 288
export const statusDayMs = 24 * 3_600_000
export const statusDaysKept = 90
export const statusNoticeMaxCharacters = 200
/** Proxies that fetch pictures for everybody ask from few addresses. */
export const badgeRequestsPerMinute = 600
export const badgeLabelMaxCharacters = 40
/** Streams of open status pages, over all and per client address. */
export const statusStreamsMax = 5_000
export const statusStreamsPerAddress = 30
export const statusStreamLookEveryMs = 1_000
/** How often a stream without news shows that it is there. */
export const statusStreamStillEveryMs = 15_000
/** A reader that has this much unread is cut off. */
export const statusStreamBacklogMaxBytes = 262_144
export const previewsKeptMax = 200
export const previewsWaitingMax = 16
/** The thread that draws previews is dismissed after this time without work. */
export const previewIdleMs = 60_000
export const previewCacheSeconds = 60

/** Of the ids of users, bots, applications, flows and runtimes. */
export const idMaxCharacters = 64
export const runtimeFrameMaxBytes = 2 * 1_048_576
export const runtimeHeartbeatMs = 30_000
export const runtimeSilenceMs = 75_000
export const leaseMs = 90_000
export const lostSocketGraceMs = 10_000
export const runtimeMaxCredit = 1_024
export const eventAgeLimitMs = 24 * 3_600_000
/** Waits after the first, second … failed attempt; the next failure makes a dead letter. */
export const retryWaitsMs = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const
export const listenerCacheMs = 5_000
export const webhookListenersCachedMax = 10_000
/** After an early refusal this much of the body is still read, so that the sender gets to read the answer. */
export const refusedBodyReadMaxBytes = 64 * 1_048_576
/** Bytes of bodies still arriving, over all senders. Beyond it requests with more than a small body get 503. */
export const arrivingBodiesMaxBytes = 128 * 1_048_576
/** Bodies up to this size take no more memory than their connection, and are not counted. */
export const uncountedBodyMaxBytes = 4_096
/** Maximum requests in flight, over all senders. Further ones get 503 with Retry-After. */
export const webhooksInFlightMax = 10_000
export const oauthRequestsInFlightMax = 2_000
export const overloadRetryAfterSeconds = 1
/** What those are asked to wait whose request could not be stored or looked up. */
export const unavailableRetryAfterSeconds = 1
/** An acceptance that is not on disk by then is answered 503; it may still be stored. */
export const webhookAcceptDeadlineMs = 10_000
/** A refused sender that falls silent for this long gets the connection closed. */
export const refusedBodyIdleMs = 2_000
/** What a sender to a full queue is asked to wait. */
export const queueFullRetryAfterSeconds = 30
/** Bodies taken but not yet on disk, over all bots; beyond it the disk is too slow and webhooks answer 503. */
export const unsyncedBodiesMaxBytes = 128 * 1_048_576
/** Maximum subjects of rejected requests logged separately, and the interval at which repetitions are summarized. */
export const refusalSubjectsLoggedMax = 100
export const refusalsLoggedEveryMs = 60_000
export const healthProbeDeadlineMs = 1_000
/** Interval between checks of a node that is not ready, and minimum time between checks caused by 503 responses. */
export const readinessWatchedEveryMs = 1_000
export const healthProbeSharedForMs = 1_000
export const deadLetterRetentionMs = 30 * 24 * 3_600_000
/** Acknowledged events stay replayable for this long, as long as the next two limits allow. */
export const acknowledgedRetentionMs = 24 * 3_600_000
/** How much of what is finished is kept: events, and bytes of bodies, headers and errors, over all bots and of each. */
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
/** Of a body, on the page of its event. */
export const bodyPreviewMaxBytes = 65_536
export const eventsPerPageMax = 200
/** Events that one call replays or discards; a page goes on with the next. */
export const eventsPerBulk = 1_000
export const hourlyCountsRetentionMs = 7 * 24 * 3_600_000
/** What the owner of a bot sees of a runtime's error. */
export const runtimeErrorMaxCharacters = 4_096
export const runtimeInstanceMaxCharacters = 128
export const runtimeAgentMaxCharacters = 128
/** Maximum bots that a runtime names in `ready`. */
export const runtimeBotsPerReady = 10_000
/** Maximum bot reports in one heartbeat: more than a frame holds when each report has all its members. */
export const runtimeReportsPerHeartbeat = 20_000
/** Maximum deliveries in one list of a frame. A session has far fewer in flight. */
export const runtimeDeliveriesPerFrame = 10_000
export const deliveryNameMaxCharacters = 128
export const runtimeLogEntriesPerFrame = 1_000
/** Maximum length of an ISO 8601 time. */
export const isoTimeMaxCharacters = 64
/** Maximum open sessions of one runtime on one node, across all of its keys. */
export const runtimeSessionsMax = 256
/** Maximum open sessions on one node that receive copies of events, bots of one, and looks for new events in a second. */
export const copySessionsMax = 64
export const copiedBotsMax = 10
export const copyLooksPerSecond = 4
/** Events that one look reads. */
export const copiesPerLook = 16
/**
 * Maximum answers and log entries of one session whose write is in flight. At the limit, the connection is not read
 * until some are stored (back-pressure).
 */
export const runtimeUnstoredMax = 1_024
/** Similar faults are logged once in this time. */
export const faultBurstMs = 10_000
export const runtimeDrainMs = 5_000
/** Bots named in one frame, so that no frame of ours passes 2 MiB either. */
export const botsPerRuntimeFrame = 10_000
/** Of what one claim reads into memory. */
export const claimMaxEvents = 64
export const claimBodiesMaxBytes = 2 * 1_048_576
/** A runtime that has this much unread in its socket gets no further events until it reads. */
export const runtimeSendBufferMaxBytes = 1_048_576
/** Beyond this nothing more is read from it either: what is unread then is answers, and each frame makes another. */
export const runtimeUnreadAnswersMaxBytes = 8 * 1_048_576
/** And is given up when it has read nothing of that for so long. */
export const runtimeStuckMs = 60_000
