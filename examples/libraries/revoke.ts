import type { Registration } from './registration.ts'

/** Revokes the entire authorization, including all its tokens. */
export async function signOut({ gatehouse }: Registration, refreshToken: string): Promise<void> {
  await fetch(`${gatehouse}/api/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token: refreshToken }) })
}
