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
export const pinUnlockLifetimeMs = 12 * 3_600_000
export const wrongPinsBeforeLock = 5
export const pinLockMs = 15 * 60_000
export const passwordMinCharacters = 8
export const passwordMaxCharacters = 256
export const signInWindowMs = 15 * 60_000
export const signInFailuresPerAccount = 10
export const signInFailuresPerAddress = 50
export const authorizationAttemptLifetimeMs = 30 * 60_000
export const clientAuthenticationFailuresPerMinute = 100
export const oauthBodyMaxBytes = 65_536
export const redirectUrisPerApplication = 50
export const stateMaxCharacters = 4_096
export const userinfoLogsMax = 100

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
