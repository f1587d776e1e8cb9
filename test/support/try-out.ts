import type { Answer, Browser } from './people.ts'
import type { Registered } from './portal-people.ts'
import type { World } from './world.ts'

export function messages(page: Answer): string[] {
  return [...page.text.matchAll(/<pre class="body"[^>]*>([\s\S]*?)<\/pre>/g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
  )
}

/** Returns the values of the checked boxes. */
export function checkedIn(page: Answer): string[] {
  return [...page.text.matchAll(/<input type="checkbox"[^>]* value="([^"]*)"[^>]* checked>/g)].map(
    ([, value = '']) => value,
  )
}

export function tokensIn(page: Answer): string[] {
  return [...page.text.matchAll(/svc_(?:at|rt)_\w{72}/g)].map(([token]) => token)
}

/** Starts a test run and follows redirects up to the first page that needs input or shows the result. */
export async function tryIt(world: World, browser: Browser, app: Registered, fields: Record<string, string> = {}) {
  return tryItOn(world, browser, await browser.get(`${app.address}/try-outs`), fields)
}

export async function tryItOn(world: World, browser: Browser, page: Answer, fields: Record<string, string>) {
  return browser.onward(await browser.submit(page, { scope: 'user.identify', ...fields }, '/try-outs'), world)
}

export async function allowed(world: World, browser: Browser, consent: Answer): Promise<Answer> {
  return browser.onward(await browser.submit(consent, { decision: 'allow' }, '/auth/consent'), world)
}
