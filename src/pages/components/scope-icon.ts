import type { standardScopes } from '../../domain/authorization/scope.ts'
import { type Html, html } from '../html.ts'
import { scopeListWords as words } from '../words/scopes.ts'
import { type IconName, icon } from './icon.ts'

const icons: Record<(typeof standardScopes)[number], IconName> = {
  'user.identify': 'person',
  'user.email': 'mail',
  'user.connections.read': 'link',
  offline_access: 'clock',
  'bots.read': 'bot',
  'flows.read': 'flow',
  'guilds.read': 'servers',
  'logs.read': 'lines',
  'cowork.read': 'people',
}

/** Renders the icon of a scope. All scopes that the operator declared have the same icon. */
export function scopeIcon(name: string): Html {
  return icon(Object.hasOwn(icons, name) ? icons[name as keyof typeof icons] : 'check')
}

/** Renders the lock that marks a scope as requiring the session PIN. */
export function pinLock(): Html {
  return html`<span class="lock" title="${words.needsPin}">${icon('lock')}PIN<span class="hidden-visually"> ${words.required}</span></span>`
}
