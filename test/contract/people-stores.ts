import assert from 'node:assert/strict'
import type { NewSession, SessionStore } from '../../src/domain/accounts/sessions/sessions.ts'
import type { NewUser, UserStore } from '../../src/domain/accounts/user-store.ts'
import type { Application } from '../../src/domain/applications/application-store.ts'
import { asClientId, parseApplicationId, parseUserId, Secrets, type UserId } from '../../src/domain/ids-and-secrets.ts'

/** Stores for tests of credentials. Sessions are included, because changing a credential ends or locks them. */
export interface PeopleStores {
  users: UserStore
  sessions: SessionStore
}

export function userId(text: string): UserId {
  return parseUserId(text)!
}

export const ada: NewUser = {
  id: userId('ada'),
  name: 'Ada',
  email: { address: 'Ada@Example.com', key: 'ada@example.com' },
  passwordHash: 'ada-password',
  verificationLanguage: undefined,
}
export const secrets = new Secrets('test-secret-key-test-secret-key-0001')

/** Returns a session of Ada that is not stored yet. */
export async function newSession(sessions: SessionStore, change: Partial<NewSession> = {}): Promise<NewSession> {
  const number = await sessions.allotNumber()
  const origin = { userAgent: 'a browser', address: '127.0.0.1' }
  const times = { createdAtMs: 1_000, expiresAtMs: 9_000 }
  const digest = secrets.digest(`session ${number}`)
  const account = { surface: 'identity', accountSession: null, userId: ada.id } as const
  return { number, digest, ...account, ...origin, ...times, ...change }
}

/** Stores a session of Ada. Returns its number. */
export async function aSession({ sessions }: PeopleStores, change: Partial<NewSession> = {}): Promise<number> {
  const session = await newSession(sessions, change)
  assert.equal((await sessions.addSession(session, null, 9)).kind, 'added')
  return session.number
}

export async function withAda<Stores extends PeopleStores>(stores: Stores): Promise<Stores> {
  assert.equal(await stores.users.addUser(ada, 1_000), 'added')
  return stores
}

export const bob: NewUser = {
  id: userId('bob'),
  name: 'Bob',
  email: { address: 'bob@example.com', key: 'bob@example.com' },
  passwordHash: 'bob-password',
  verificationLanguage: undefined,
}

/** Returns an application of Ada that is not stored yet. */
export function anApplication(id: string, change: Partial<Application> = {}): Application {
  return {
    id: parseApplicationId(id)!,
    clientId: asClientId(`svc_ci_${id}`),
    ownerId: parseUserId('ada')!,
    name: id,
    websiteUrl: 'https://a.example',
    environment: 'production',
    firstParty: false,
    requirePkce: false,
    verified: false,
    disabled: false,
    redirectUris: [],
    createdAtMs: 1_000,
    ...change,
  }
}
