import { subscriptionUrlMaxCharacters } from '../limits/limits.ts'
import { SubscriptionRefusal, type SubscriptionRefusalReason } from './subscription-refusal.ts'

/**
 * Returns the subscription URL in canonical form.
 *
 * @param allowHttp whether `http://` is accepted too.
 * @throws SubscriptionRefusal
 */
export function parseSubscriptionUrl(text: string, allowHttp: boolean): string {
  const trimmed = text.trim()
  const fault = faultOf(trimmed, allowHttp)
  if (fault !== undefined) throw new SubscriptionRefusal(fault)
  return new URL(trimmed).href
}

function faultOf(text: string, allowHttp: boolean): SubscriptionRefusalReason | undefined {
  if (text.length > subscriptionUrlMaxCharacters) return 'url-too-long'
  if (!/^[!-~]+$/.test(text) || !URL.canParse(text)) return 'url-malformed'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'url-malformed'
  if (protocol === 'http:' && !allowHttp) return 'url-not-https'
  if (username !== '' || password !== '') return 'url-with-credentials'
  // A fragment is never sent, so it is probably a mistake.
  return hash === '' ? undefined : 'url-with-fragment'
}
