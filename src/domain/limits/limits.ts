/** Limits of the service, beginning with those in the specification's table. */

export const authorizationCodeLifetimeSeconds = 300
export const accessTokenLifetimeSeconds = 900
export const refreshTokenLifetimeSeconds = 30 * 24 * 3_600
export const webhookPathMaxCharacters = 100
export const webhookBodyMaxBytes = 1_048_576
export const botStatusRequestsPerMinute = 60
export const botStatusCacheSeconds = 15
export const snapshotFreshForMs = 90_000
/** A stored time that is further ahead is from before the clock was set back. */
export const nodeClocksDifferMaxMs = 5_000

export const sessionLifetimeMs = 30 * 24 * 3_600_000
/** Signing in beyond that ends the least recently used session. */
export const sessionsPerUser = 200
export const pinUnlockLifetimeMs = 12 * 3_600_000
export const wrongPinsBeforeLock = 5
export const pinLockMs = 15 * 60_000
/** Each lock lasts twice as long as the previous one, until the correct PIN is entered. */
export const pinLockMaxMs = 24 * 3_600_000
export const pinMinDigits = 4
export const pinMaxDigits = 12
export const personNameMaxCharacters = 100
/** In a request, before line breaks are replaced, the name is trimmed and the shorter limit for its kind applies. */
export const nameAsSentMaxCharacters = 1_024
export const emailMaxCharacters = 254
export const codeHostingIdMaxCharacters = 64
/** The rest isn't read. */
export const acceptLanguageMaxCharacters = 1_024
export const userAgentMaxCharacters = 512
export const passwordMinCharacters = 8
export const passwordMaxCharacters = 256
/** In a request, before Unicode normalization, which can shorten it. */
export const passwordAsSentMaxCharacters = 1_024
export const signInWindowMs = 15 * 60_000
export const signInFailuresPerAccount = 10
export const signInFailuresPerAddress = 50
/** Passwords and PINs that wait to be hashed, on one node. */
export const hashingTasksWaitingMax = 128
/** If a mail server is configured, `mailsPerAddress` applies as well. */
export const signUpWindowMs = 3_600_000
export const signUpsPerAddress = 100
/** Lifetime of a browser's device cookie, and the accounts it lists. */
export const knownDeviceForMs = 365 * 24 * 3_600_000
export const accountsPerDevice = 5
/** Minimum age of a session's stored last-use time before a newer one is stored. */
export const sessionSeenEveryMs = 5 * 60_000
export const emailLinkLifetimeMs = 24 * 3_600_000
export const passwordLinkLifetimeMs = 3_600_000
export const operatorLinkLifetimeMs = 24 * 3_600_000
/** Emails per window for one client address and email address together, one client address, and one email address. */
export const mailWindowMs = 3_600_000
export const mailsPerAccount = 3
export const mailsPerAddress = 20
export const mailsPerAccountInAll = 12
export const mailPollMs = 5_000
/** Delays after the first, second, … failed attempt to send an email. The last delay repeats until the age limit. */
export const mailRetryWaitsMs = [60_000, 300_000, 900_000, 3_600_000] as const
export const mailAgeLimitMs = 24 * 3_600_000
/** Consecutive deferrals for a recipient's domain after which email to that domain is held back. */
export const mailDeferralsPerDomain = 3
export const mailDomainsHeldMax = 10_000
/** Consecutive failed emails after which the rest of the queue waits for the next poll. */
export const mailFailuresPerPoll = 3
export const passkeyChallengeLifetimeMs = 5 * 60_000
/** Open ceremonies, enough for several tabs. Starting another ceremony drops the oldest. */
export const passkeyChallengesPerBrowser = 8
/** Per client address or, after sign-in, per user. */
export const passkeyChallengesPerAddress = 500
/**
 * Ceremonies beyond this total are deleted within a minute, from the addresses and users with the most. The same holds
 * for the totals of pending redirects and authorization attempts.
 */
export const passkeyChallengesMax = 20_000
export const passkeysPerUser = 20
export const passkeyNameMaxCharacters = 60
/** For adding and removing passkeys or linked accounts. After that, the user has to sign in again. */
export const recentSignInMs = 15 * 60_000
/** Time for a browser to return from an external sign-in provider. */
export const providerVisitLifetimeMs = 15 * 60_000
/** Pending redirects to external sign-in providers. Starting another redirect deletes the oldest. */
export const providerVisitsPerAddress = 500
export const providerVisitsMax = 50_000
/** Rows beyond a total that one transaction deletes. */
export const rowsTrimmedAtOnce = 2_000
export const upstreamSubjectMaxCharacters = 255
/** For one request to an external sign-in provider. */
export const upstreamDeadlineSeconds = 5
export const upstreamAnswerMaxBytes = 262_144
export const tryOutResultLifetimeMs = 3_600_000
export const tryOutResultsPerUser = 8
/** Applies to codes and tokens, so that they are reported as expired rather than unknown. */
export const expiredTokensKeptMs = 3_600_000
export const authorizationAttemptLifetimeMs = 30 * 60_000
/**
 * Authorization attempts stored, including expired ones: per client address for browsers without a session, per
 * signed-in user, and pushed requests per application. Storing another attempt deletes the oldest. Attempts with a long
 * `state` and redirect URI count separately, because each takes up to ten times the space.
 */
export const attemptsPerAddress = { short: 1_000, long: 200 }
export const attemptsPerUser = { short: 100, long: 100 }
export const pushedRequestsPerApplication = { short: 5_000, long: 200 }
export const attemptShortMaxCharacters = 700
export const attemptsMax = 100_000
/** So that the page of an expired attempt can still offer to start again. */
export const expiredAttemptsKeptMs = 24 * 3_600_000
export const pushedRequestLifetimeSeconds = 90
export const clientAuthenticationFailuresPerMinute = 100
/** Default for forms and provisioning records. */
export const requestBodyMaxBytes = 65_536
/** Room for codes, tokens and secrets of any sensible length. Parsing JSON of this size takes 20 ms. */
export const oauthBodyMaxBytes = 131_072
/** In a form, a query or the JSON of an OAuth request. Parsing as many as fit into a request takes up to 50 ms. */
export const parametersMax = 1_000
/**
 * At `BASE_URL` and `PORTAL_URL`, because each of `state`'s characters can take 12 bytes of the URL. Elsewhere Node's
 * default, 16 KiB. Node reads up to 64 KiB at once; below that, the URL of a request that is too large is often known.
 */
export const pageHeadersMaxBytes = 61_440
/** Number of open connections of one address that may send longer headers than Node's default. */
export const longHeadersPerAddress = 500
export const redirectUrisPerApplication = 50
/** The operator can create more. */
export const applicationsPerOwner = 100
/** Per application, so that servers can switch to a new secret one by one. */
export const clientSecretsMax = 2
export const secretLabelMaxCharacters = 50
/**
 * Failed requests kept per application and endpoint, because strangers can cause failures at some endpoints; and days
 * for which an application's request counts are kept.
 */
export const failedRequestsKept = 100
export const requestDaysKept = 30
/** Rejected redirect URIs: shown per cause, and compared with the registered ones per page. */
export const redirectUrisShownPerCause = 5
export const redirectUrisCompared = 20
/** A search text in an application's failed requests. */
export const failureSearchMaxCharacters = 200
export const redirectUriMaxCharacters = 2_048
/** A form encodes most punctuation of the redirect URIs as three bytes. */
export const applicationFormMaxBytes = 3 * redirectUrisPerApplication * redirectUriMaxCharacters + requestBodyMaxBytes
export const websiteUrlMaxCharacters = 2_048
export const applicationNameMaxCharacters = 100
/** After decoding, in code points. */
export const stateMaxCharacters = 4_096
/**
 * Budgets of audited changes by users: of one user in one network, and of all users in one network. Beyond them, pages
 * and the API for owners refuse changes and sign-ins with 429. The third limit is the number of each that a node counts.
 */
export const auditedActsPerUser = { burst: 50_000, perSecond: 1 }
export const auditedActsPerNetwork = { burst: 500_000, perSecond: 10 }
export const auditedActsPartiesMax = 20_000
export const auditRetentionMs = 400 * 24 * 3_600_000
export const auditUserAgentMaxCharacters = 200
export const auditDetailMaxCharacters = 1_000
export const activityPerPage = 20
/** Audit events in one export. */
export const auditExportDefault = 10_000
export const auditExportMax = 1_000_000
/** Reuse this soon after a rotation, from the same address and user agent, is probably a client's race, not theft. */
export const clientRaceWithinMs = 10_000
export const userinfoLogsMax = 100
/** Entries in each list of a userinfo response other than `logs`. Entries of the oldest bots come first. */
export const userinfoListMax = 1_000
/** Across all entries of `guilds` in one response. */
export const userinfoGuildIdsMax = 100_000

/** Per client address. Further wrong keys get 429. */
export const wrongOperatorKeysPerMinute = 100
/** Addresses whose wrong keys are counted. Beyond it, the address that has been idle longest is evicted. */
export const wrongOperatorKeyAddressesMax = 10_000
/** Addresses with their own audit events. */
export const operatorKeyAddressesAuditedMax = 100
export const operatorKeysMax = 50
export const operatorKeyNameMaxCharacters = 100
export const provisioningBodyMaxBytes = 1_048_576
/** Per page of a list in the control API. */
export const listItemsDefault = 50
export const listItemsMax = 200
/** Rows read per batch and per request for a filtered list. A whole table could take minutes: the client asks again. */
export const listRowsAtOnce = 500
export const listRowsMax = 10_000
export const listFilterMaxCharacters = 256
export const listCursorMaxCharacters = 512
export const scopeDescriptionMaxCharacters = 200
/** Including expired ones. */
export const personalTokensPerUser = 20
export const personalTokenNameMaxCharacters = 100
/** A user chooses one of them. */
export const personalTokenLifetimesDays = [7, 30, 90, 365] as const
/** In the user's list. */
export const expiredPersonalTokensKeptMs = 30 * 24 * 3_600_000
export const ownerApiRequestsPerMinute = 300
/** Per client address, on each node. */
export const wrongPersonalTokensPerMinute = 100
/** Applies to flows that the owner creates; the operator can create more. */
export const flowsPerBot = 200
export const botsListedMax = 1_000
export const botsPerPage = 25
export const applicationsPerPage = 25
export const guideSearchMaxCharacters = 100
export const guideSearchWordsMax = 8
export const guideFoundMax = 30
/** Limits of the search over a user's own pages. */
export const siteSearchMaxCharacters = 200
export const siteSearchWordsMax = 8
export const flowsSearchedMax = 5_000
export const siteFoundMax = 20
/** On one URL. A search takes up to 100 ms of processor time, many ticks after its request has started. */
export const siteSearchesAtOnce = 2
/** Sections of guides among these results. */
export const guidesFoundMax = 5
export const guideCacheSeconds = 300
/** Client packages that the portal keeps in memory, the newest versions first. */
export const packageArchivesMax = 60
export const packageArchiveMaxBytes = 1_048_576
/** Attempts per user to add a collaborator without an account. */
export const unknownCollaboratorsPerHour = 20
export const collaboratorsPerBot = 200
export const invitationsPerBot = 20
/** Time for the invited person to accept. The owner then has the same time to confirm. */
export const invitationLifetimeMs = 7 * 24 * 3_600_000
export const invitationLabelMaxCharacters = 100
/** How long the message about a form post is kept for the next page to show. */
export const flashLifetimeSeconds = 60
export const flowsPerPage = 25
export const deliveriesPerPage = 20
/** Webhooks per state that the delivery page counts. A larger number is shown as “1,000+”. */
export const eventsCountedMax = 1_000
/** On the delivery page. */
export const deadLetterCausesShown = 5
/** Limits of a test webhook. Its form encodes most punctuation as three bytes. */
export const testHeaderMaxCharacters = 512
export const testBodyMaxBytes = 65_536
export const testFormMaxBytes = 4 * testBodyMaxBytes
export const eventsSelectedMax = 100
/** Shown of each body in the list of deliveries. */
export const bodyStartMaxBytes = 160
export const deliverySearchMaxCharacters = 200
/** Limits of one search in the list of deliveries. */
export const searchedPerRequest = { events: 1_000, bytesPerBody: 16_384, bytes: 4 * 1_048_576 } as const
export const eventsExportedMax = 10_000
/** Open streams of live delivery pages on one node and per client address, and the interval between updates. */
export const deliveryStreamsMax = 100
export const deliveryStreamsPerAddress = 10
export const deliveryStreamPollMs = 2_000
export const logEntriesPerPage = 50
/** On the page of a webhook. */
export const attemptLogEntriesMax = 20
export const botNameMaxCharacters = 100
export const avatarMaxCharacters = 2_048
export const publicCodeMaxCharacters = 100
export const flowKeyMaxCharacters = 256
/** How long the old key of a flow or runtime, or the old signing secret, stays valid after a new one is stored. */
export const keyOverlapMs = 24 * 3_600_000
export const signingSecretMaxCharacters = 256
export const signaturePrefixMaxCharacters = 32
export const signedTextMaxCharacters = 256
export const headerNameMaxCharacters = 64
/** Between a signed timestamp and the service's clock, in either direction. */
export const signatureToleranceMs = 300_000
export const dedupeWindowMaxSeconds = 24 * 3_600
/** On each node, of the longest window; a mark of an hour counts as a 24th. Each takes about 0.2 KB. */
export const dedupeMarksPerBot = { burst: 1_000_000, perSecond: 12 }
export const dedupePointerMaxCharacters = 256
export const capabilityMaxCharacters = 64
export const capabilitiesPerCollaborator = 64
export const guildsPerBot = 10_000
export const botsPerRuntime = 1_000
export const runtimesListedMax = 1_000
export const runtimesPerOwner = 100
export const logMessageMaxCharacters = 4_096
export const logEntriesPerPost = 1_000
export const logEntriesKeptPerBot = 1_000
export const botStatusSharedForMs = 1_000
export const botStatusesKeptMax = 10_000
/** Per client address, of which `maxKeys` are tracked. */
export const botStatusRequests = { limit: botStatusRequestsPerMinute, windowMs: 60_000, maxKeys: 200_000 }
/** A crash loses unstored heartbeats, but runtimes keep sending new ones. */
export const heartbeatFlushMs = 15_000
/** In PostgreSQL. Because of it and `botStatusSharedForMs`, all nodes show a heartbeat within two seconds. */
export const sharedHeartbeatFlushMs = 500
/** The status history has slots for 48 hours, of which the last 24 hours are shown, and one entry per UTC day. */
export const statusSlotMs = 5 * 60_000
export const statusSlotsKept = 576
export const statusSlotsShown = 288
export const statusDayMs = 24 * 3_600_000
export const statusDaysKept = 90
/** State changes kept, such as going offline. */
export const statusChangesPerBot = 200
export const statusNoticeMaxCharacters = 200
/** Per client address. High, because image proxies fetch badges for many users. */
export const badgeRequestsPerMinute = 600
export const badgeLabelMaxCharacters = 40
/** Open streams of status pages in total and per client address, and the interval between updates. */
export const statusStreamsMax = 5_000
export const statusStreamsPerAddress = 30
export const statusStreamPollMs = 1_000
export const liveStreamKeepAliveMs = 15_000
/** Unread bytes at which a client's stream is closed. */
export const liveStreamBacklogMaxBytes = 262_144
export const previewsKeptMax = 200
export const previewsWaitingMax = 16
/** Idle time after which the preview rendering thread exits. */
export const previewIdleMs = 60_000
export const previewCacheSeconds = 60

/** IDs of users, bots, applications, flows and runtimes. */
export const idMaxCharacters = 64
/** On PostgreSQL, event IDs include the bot's ID, with up to 78 characters, or `subscription:` and its ID. */
export const eventIdMaxCharacters = 91
export const runtimeFrameMaxBytes = 2 * 1_048_576
export const runtimeHeartbeatMs = 30_000
export const runtimeSilenceMs = 75_000
/** A heartbeat that names the delivery renews its lease. */
export const leaseMs = 90_000
export const lostSocketGraceMs = 10_000
export const runtimeMaxCredit = 1_024
export const eventAgeLimitMs = 24 * 3_600_000
/** Delays after the first, second, … failed attempt. A failure after the last delay makes the event a dead letter. */
export const retryWaitsMs = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const
export const listenerCacheMs = 5_000
export const webhookListenersCachedMax = 10_000
/** Read and discarded after an early rejection, so that the sender can finish and read the response. */
export const refusedBodyReadMaxBytes = 64 * 1_048_576
/** For how long requests that have waited for their turn may start, per tick of the event loop. */
export const waitingRequestsPerTickMs = 0.5
/** After this time without a request from another address, requests don't wait for their turn. */
export const turnsAfterOtherAddressMs = 1_000
/** After a refused request, the next one of its address begins this much later at the earliest. */
export const refusalRestMs = 2
/** After this time without a response, a request to a page or the API for owners lets the address's next one begin. */
export const requestTurnMs = 50
/** Before an address's next request to a page begins, a pause of this many times the time that the one before took. */
export const requestPauseTimes = 2
/**
 * Open connections of one process, if the system's limit of open files permits them beside other files. An address gets
 * at most `addressShareOfFreeConnections` times as many as are then left for others.
 */
export const connectionsMax = 50_000
/** On one connection, behind the request whose response is due. More close the connection. */
export const pipelinedRequestsMax = 4_096
export const filesNotForConnections = 200
export const addressShareOfFreeConnections = 2
/** Divided by `ArrivingBodies`. Beyond, requests get 503 unless their body is at most `uncountedBodyMaxBytes` long. */
export const arrivingBodiesMaxBytes = 128 * 1_048_576
/** The connection itself takes at least as much memory as such a body. */
export const uncountedBodyMaxBytes = 4_096
export const bodyMinBytesPerSecond = 1_024
/** Across all clients. Additional requests get 503 with `Retry-After`. */
export const webhooksInFlightMax = 10_000
export const oauthRequestsInFlightMax = 2_000
export const overloadRetryAfterSeconds = 1
/** Of the 503 response while the store is unavailable. */
export const unavailableRetryAfterSeconds = 1
/** Until the webhook is durable. After it, the sender gets 503, although the webhook may still be stored. */
export const webhookAcceptDeadlineMs = 10_000
/** Idle time after which a rejected sender's connection is closed. */
export const refusedBodyIdleMs = 2_000
/** Maximum of a bot's unfinished events, as a multiple of what is free in total: some always stays free for others. */
export const botShareOfFreeQueue = 4
export const queueFullRetryAfterSeconds = 30
/** Received bodies, across all bots. Above this, webhooks get 503, because the disk is too slow. */
export const unsyncedBodiesMaxBytes = 128 * 1_048_576
/**
 * Senders or targets of requests with log lines of their own, and the interval at which repeats are logged as a count.
 */
export const refusalSubjectsLoggedMax = 100
export const refusalsLoggedEveryMs = 60_000
export const healthProbeDeadlineMs = 1_000
/** Interval between checks of a node that isn't ready, and minimum between checks triggered by 503 responses. */
export const readinessWatchedEveryMs = 1_000
export const healthProbeSharedForMs = 1_000
export const deadLetterRetentionMs = 30 * 24 * 3_600_000
/** How long an acknowledged event can be replayed, from when it was accepted, within `finishedEventsKept`. */
export const acknowledgedRetentionMs = 24 * 3_600_000
/**
 * Limits of the finished events that are kept, acknowledged ones and dead letters: number of events, and bytes of their
 * bodies, headers and errors, across all bots and per bot. When a total is reached, the bots that keep the most lose
 * their oldest events, so that each bot keeps at least an equal share. Outgoing events of all subscriptions have totals
 * of their own, because users create subscriptions themselves; the limits of a bot apply to each subscription.
 */
export const finishedEventsKept = {
  done: {
    events: 200_000,
    bytes: 512 * 1_048_576,
    eventsPerBot: 50_000,
    bytesPerBot: 128 * 1_048_576,
    outgoing: { events: 50_000, bytes: 64 * 1_048_576 },
  },
  dead: {
    events: 1_000_000,
    bytes: 4_096 * 1_048_576,
    eventsPerBot: 100_000,
    bytesPerBot: 256 * 1_048_576,
    outgoing: { events: 250_000, bytes: 512 * 1_048_576 },
  },
} as const
export const bodyPreviewMaxBytes = 65_536
export const eventsPerPageMax = 200
/** Per flow, and per bot for webhooks without a flow. Similar refusals count as one. */
export const refusedWebhooksKept = 50
export const refusedWebhooksRetentionMs = 7 * 24 * 3_600_000
/** On the bot's page about them, and on a flow's page. */
export const refusedWebhooksShown = 100
export const refusedWebhooksShownOfFlow = 3
/**
 * Limits of the refused webhooks that a node collects in memory: entries of similar ones, for flows and as many for
 * webhooks without a flow, of which each bot keeps at least an equal share; characters of a client address; and groups
 * (one per flow, or per bot and cause) stored in one transaction.
 */
export const refusalLogLimits = { entries: 20_000, addressCharacters: 45, groupsPerBatch: 20 } as const
/** Events that one call replays or discards. The page makes further calls for the rest. */
export const eventsPerBulk = 1_000
/** Events that one call reads, to find those with one cause. */
export const eventsExaminedPerBulk = 10_000
export const hourlyCountsRetentionMs = 7 * 24 * 3_600_000
/** Longer texts are truncated. */
export const runtimeErrorMaxCharacters = 4_096
export const runtimeInstanceMaxCharacters = 128
export const runtimeAgentMaxCharacters = 128
export const runtimeBotsPerReady = 10_000
/** A heartbeat whose reports have all fields reaches the frame size limit first. */
export const runtimeReportsPerHeartbeat = 20_000
/** In each list of a runtime's frame. The window, {@link runtimeMaxCredit}, is far smaller. */
export const runtimeDeliveriesPerFrame = 10_000
export const deliveryNameMaxCharacters = 128
export const runtimeLogEntriesPerFrame = 1_000
export const isoTimeMaxCharacters = 64
/** Sessions of one runtime on one node, across all of the runtime's keys. As many more can wait for `ready`. */
export const runtimeSessionsMax = 256
/** The same, across all of the owner's runtimes. */
export const runtimeSessionsPerOwner = 256
/**
 * Budgets of bytes that runtimes send: a burst, and what is added per second. Each frame costs `runtimeFrameBytes` more
 * than its length. A session, and all sessions of an owner together, are not read while they have none left. Parsing one
 * MiB takes up to 80 ms.
 */
export const runtimeBytesPerSession = { burst: 1_048_576, perSecond: 524_288 }
export const runtimeBytesPerOwner = { burst: 2 * 1_048_576, perSecond: 1_048_576 }
/** Owners whose budget a node remembers. */
export const runtimeBytesOwnersMax = 10_000
/** The budget of each session of a runtime that the operator created, which may host the bots of many owners. */
export const runtimeBytesPerPlatformSession = { burst: 8 * 1_048_576, perSecond: 4 * 1_048_576 }
export const runtimeFrameBytes = 256
/** Bytes given back for each delivery that a frame finishes, so that acknowledgements cost about nothing. */
export const runtimeBytesPerFinishedDelivery = 320
/** A session that keeps sending is closed once its budget, or its owner's, is overdrawn this far or for this long. */
export const runtimeBytesOverdrawnMax = 8 * 1_048_576
export const runtimeBytesOverdrawnMs = 30_000
/** A frame other than `ready` that a session takes before `ready`. */
export const runtimeEarlyFrameMaxCharacters = 4_096
/** Of objects and lists. */
export const runtimeFrameMaxDepth = 32
/** Per runtime, one per instance. */
export const runtimeConnectionsKept = 256
export const runtimeConnectionsShown = 20
export const runtimeHeardStoredEveryMs = 60_000
/**
 * Time for which a connection counts as open after its last-heard time, if its node died without storing the end.
 * Covers the heartbeat interval and both intervals at which the last-heard time is stored.
 */
export const runtimeConnectionFreshForMs = 180_000
/** Open streams with copies of events on one node, per client address and per owner, and the interval between reads. */
export const copyStreamsMax = 100
export const copyStreamsPerAddress = 20
export const copyStreamsPerOwner = 8
export const copyStreamPollMs = 1_000
/** Budget for the copies of all streams of one owner. Writing a copy costs processor time. */
export const copyBytesPerOwner = { burst: 8 * 1_048_576, perSecond: 4 * 1_048_576 }
export const copiesPerRead = 64
/** Interval at which a stream with copies of events reads refused webhooks. */
export const refusalsReadEveryMs = 5_000
/** Reports and log entries per session being written. At the limit, its connection is not read (back-pressure). */
export const runtimeUnstoredMax = 1_024
/** Period in which similar faults are logged only once. */
export const faultBurstMs = 10_000
export const runtimeDrainMs = 4_000
/** In a frame from the service, so that it stays under {@link runtimeFrameMaxBytes}. */
export const botsPerRuntimeFrame = 10_000
/** One claim reads them into memory. */
export const claimMaxEvents = 64
export const claimBodiesMaxBytes = 2 * 1_048_576
/** Unread bytes in a runtime's socket at which the service stops sending events to the runtime. */
export const runtimeSendBufferMaxBytes = 1_048_576
/** Unread bytes at which the service also stops reading from it, because replies to its frames would add to them. */
export const runtimeUnreadRepliesMaxBytes = 8 * 1_048_576
/** Time after which a runtime is disconnected if it reads none of its unread bytes. */
export const runtimeStuckMs = 60_000
export const subscriptionsPerOwner = 20
export const subscriptionsOfPlatform = 50
export const subscriptionUrlMaxCharacters = 2_048
export const subscriptionTestsPerMinute = 10
/** One request to a subscription's URL, and what is read of its response. */
export const outgoingRequestTimeoutMs = 10_000
export const outgoingResponseMaxBytes = 4_096
/** Delay that a receiver can request with `Retry-After`. */
export const outgoingRetryAfterMaxMs = 3_600_000
/** All queries together take less time than the request's timeout. */
export const nameServerTimeoutMs = 2_000
export const nameServerTries = 2
/** In flight on one node. At the total, the next request is one of the owner with the fewest in flight. */
export const outgoingRequestsMax = 256
export const outgoingRequestsPerSubscription = 4
export const outgoingRequestsPerOwner = 16
export const outgoingRequestsOfPlatform = 128
export const outgoingRequestsPerHost = 64
/** A host is slow if its last request took at least `outgoingSlowMs`. */
export const outgoingRequestsPerSlowHost = 4
export const outgoingSlowMs = 3_000
/** Per subscription and node. Discord accepts 2,000 characters and 30 messages a minute, Slack one message a second. */
export const chatMessageIntervalMs = 2_000
export const chatMessageEventsMax = 100
export const chatMessageMaxCharacters = 1_900
/** Remembered while no request to them is in flight. */
export const slowHostsMax = 10_000
/** Interval at which a node looks for queued events of subscriptions for which it has no open outbox. */
export const outboxSweepMs = 30_000
/** Interval at which new audit events are turned into outgoing events. */
export const auditWatchMs = 2_000
export const auditEventsPerRead = 500
/** Intervals at which bots with subscriptions, and all bots, are compared with what was last announced about them. */
export const botWatchMs = 5_000
export const everyBotWatchMs = 30_000
export const botsPerWatchRead = 1_000
/** Shares of a queue's limit. It is reported as nearly full at the first, and again only once below the second. */
export const queueNearlyFullShare = 0.8
export const queueRelaxedShare = 0.6
/** Interval at which new dead letters are reported. */
export const deadLetterReportMs = 5_000
export const deadLettersPerReport = 20
