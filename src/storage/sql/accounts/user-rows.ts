import type { Credentials, User } from '../../../domain/accounts/user-store.ts'
import type { ChatPlatformId, UserId } from '../../../domain/ids.ts'

interface UserRow {
  id: string
  name: string
  email: string | null
  email_verified: number
  pending_email: string | null
  chat_platform_id: string | null
  code_hosting_id: string | null
  has_password: number
  has_pin: number
  disabled: number
  created_at_ms: number
}

interface CredentialsRow {
  id: string
  password_hash: string | null
  pin_hash: string | null
}

export const userColumns = `id, name, email, email_verified_at_ms IS NOT NULL AS email_verified, pending_email,
  chat_platform_id, code_hosting_id, password_hash IS NOT NULL AS has_password, pin_hash IS NOT NULL AS has_pin,
  disabled_at_ms IS NOT NULL AS disabled, created_at_ms`

export function asUser(found: unknown): User | undefined {
  if (found === undefined) return undefined
  const row = found as UserRow
  return {
    id: row.id as UserId,
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified === 1,
    pendingEmail: row.pending_email,
    chatPlatformId: row.chat_platform_id as ChatPlatformId | null,
    codeHostingId: row.code_hosting_id,
    hasPassword: row.has_password === 1,
    hasPin: row.has_pin === 1,
    disabled: row.disabled === 1,
    createdAtMs: row.created_at_ms,
  }
}

export function asCredentials(found: unknown): Credentials | undefined {
  if (found === undefined) return undefined
  const row = found as CredentialsRow
  return { userId: row.id as UserId, passwordHash: row.password_hash, pinHash: row.pin_hash }
}
