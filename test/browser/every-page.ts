import assert from 'node:assert/strict'
import { type Answer, type Browser, consentUrl } from '../support/people.ts'
import type { PopulatedWorld } from '../support/populated-world.ts'
import type { World } from '../support/world.ts'

/** Paths that links lead to, but that are no pages, end the session, or need a query. */
const notPages =
  /^\/(appearance|assets|auth)\/|\/(api|body|badge\.svg|preview\.png|sign-out|invitation)$|\.(md|json|tgz|whl|csv|ndjson|atom)$/

/**
 * Follows all links from these addresses, and from the pages that they lead to, without their query. Returns the pages by
 * their addresses.
 */
export async function crawl(
  browser: Browser,
  world: World,
  addresses: readonly string[],
): Promise<Map<string, Answer>> {
  const pages = new Map<string, Answer>()
  const waiting = new Set(addresses)
  for (const address of waiting) {
    const answer = await browser.visit(address, world)
    const isElsewhere = answer.url !== address && !addresses.includes(address)
    if (isElsewhere || !answer.text.startsWith('<!doctype html>')) continue
    pages.set(address, answer)
    const links = answer.text.matchAll(/<(?:a\b|form\b(?=[^>]*method="get"))[^>]*(?:href|action)="([^"]*)"/g)
    for (const [, link = ''] of links) {
      const { origin, pathname } = new URL(link.replaceAll('&amp;', '&'), answer.url)
      if ([world.baseUrl, world.portalUrl].includes(origin) && !notPages.test(pathname)) waiting.add(origin + pathname)
    }
  }
  return pages
}

/**
 * Returns the addresses of the pages of strangers, and all pages that Ada sees: the linked ones, and those to which a form
 * or a link from elsewhere leads.
 */
export async function everyPage(furnished: PopulatedWorld) {
  const { world, browser, client } = furnished
  const { baseUrl, portalUrl } = world
  const bot = `${baseUrl}/bots/lantern`
  const acme = `${portalUrl}/apps/acme`
  const consent = consentUrl(world, client, { scope: 'user.identify bots.read calendar.read logs.read' })
  const strangers = [
    consent,
    ...['/sign-in', '/sign-up', '/forgot-password', '/reset-password?token=svc_none', '/nowhere'].map(
      (path) => baseUrl + path,
    ),
    furnished.resetLink,
    consentUrl(world, { ...client, redirectUri: 'https://elsewhere.example/' }),
    ...['lantern', 'harbor', 'none'].map((bot) => `${baseUrl}/botstatus/${bot}`),
    ...['/sign-out', '/callback?state=none&code=none', '/reference'].map((path) => portalUrl + path),
  ]
  const unlinked = [
    ...['/account', '/account/subscriptions/none', '/unlock', '/search?q=lantern%20deliveries', '/bots/none'].map(
      (path) => baseUrl + path,
    ),
    // Only a browser with scripts has a passkey.
    `${baseUrl}/account/passkeys/1`,
    consent,
    consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` }),
    furnished.invitation,
    `${baseUrl}/invitation?token=svc_none`,
    `${baseUrl}/bots/harbor/deliveries/refused`,
    ...['?state=dead', '?q=version', '/refused?flow=alerts'].map((query) => `${bot}/deliveries${query}`),
    ...['/', '/?search=none', '/apps/none', '/search?q=none%20such', '/guides?q=refresh%20token'].map(
      (path) => portalUrl + path,
    ),
    `${portalUrl}/guides?q=none%20such%20part`,
    `${acme}/logs?search=none%20such`,
    `${acme}/redirect-uris/new?redirect_uri=https%3A%2F%2Felsewhere.example%2F`,
    `${acme}/redirect-uris/new?redirect_uri=http%3A%2F%2Fx.example`,
  ]
  const ofAda = await crawl(browser, world, unlinked)
  for (const [address, { status }] of ofAda) {
    assert.ok(status === 200 || unlinked.includes(address), `a link leads to ${address}: ${status}`)
  }
  return { strangers, ofAda }
}
