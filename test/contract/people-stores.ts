import type { SessionStore } from '../../src/domain/accounts/sessions/session.ts'
import type { NewUser, UserStore } from '../../src/domain/accounts/user-store.ts'
import { parseUserId, type UserId } from '../../src/domain/ids.ts'

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
export const bob: NewUser = {
  id: userId('bob'),
  name: 'Bob',
  email: { address: 'bob@example.com', key: 'bob@example.com' },
  passwordHash: 'bob-password',
  verificationLanguage: undefined,
}
