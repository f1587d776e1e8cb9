import { type ChatPlatformId, parseChatPlatformId } from '../ids-and-secrets.ts'
import { parseAll } from './account-refusal.ts'
import { type Parsed, parseCodeHostingId, parseEmail, parseName, parsePassword, parsePin } from './credential-rules.ts'
import type { StoredEmail, StoredUserChange } from './user-store.ts'

/** Omitted fields keep their stored values; `null` clears a field. */
export interface UserChange {
  name: string
  email?: string | null | undefined
  clearTextPassword?: string | null | undefined
  clearTextPin?: string | null | undefined
  chatPlatformId?: string | null | undefined
  codeHostingId?: string | null | undefined
}

/** @throws AccountRefusal with all validation errors in the form. */
export function parseSignUp(form: { name: string; email: string; clearTextPassword: string }): {
  name: string
  email: StoredEmail
} {
  return parseAll((take) => {
    const parsed = { name: take(parseName(form.name)), email: take(parseEmail(form.email)) }
    take(parsePassword(form.clearTextPassword))
    return parsed
  })
}

/** @throws AccountRefusal with all validation errors in the change. */
export function parseUserChange(change: UserChange): {
  /** The caller adds the hashes of the password and PIN. */
  stored: StoredUserChange
  clearTextPassword: string | null | undefined
  clearTextPin: string | null | undefined
} {
  return parseAll((take) => {
    function given<T>(text: string | null | undefined, parse: (text: string) => Parsed<T>): T | null | undefined {
      return typeof text === 'string' ? take(parse(text)) : text
    }
    return {
      stored: {
        name: take(parseName(change.name)),
        email: given(change.email, parseEmail),
        chatPlatformId: given(change.chatPlatformId, (text): Parsed<ChatPlatformId> => {
          const value = parseChatPlatformId(text)
          return value === undefined ? { fault: 'chat-platform-id-malformed' } : { value }
        }),
        codeHostingId: given(change.codeHostingId, parseCodeHostingId),
      },
      clearTextPassword: given(change.clearTextPassword, parsePassword),
      clearTextPin: given(change.clearTextPin, parsePin),
    }
  })
}
