import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { listWords as words } from '../words/application-list.ts'

/** Renders when the application, or one of its current secrets, was last used. */
export function lastActivity(application: OwnedApplication, usage: Usage | undefined, nowMs: number): Html {
  const last = lastActivityMs(application, usage)
  return last > 0 ? time(last, nowMs) : html`<span class="soft">${words.notUsedYet}</span>`
}

/** Returns 0 if neither the application nor one of its current secrets was used. */
export function lastActivityMs({ secrets }: OwnedApplication, usage: Usage | undefined): number {
  return Math.max(usage?.latestAtMs ?? 0, ...secrets.map(({ lastUsedAtMs }) => lastUsedAtMs ?? 0))
}
