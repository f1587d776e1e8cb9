import type { FastifyPluginAsync } from 'fastify'
import { ownerApiSurface } from '../api/owners/routes.ts'
import type { RawRoutes } from '../http/raw-routes.ts'
import type { Refusals } from '../http/request-metrics.ts'
import { cookieJar } from '../http/request-origin.ts'
import { clientAuthentication } from '../oauth/client-authentication.ts'
import { oauthRoutes } from '../oauth/oauth-endpoints.ts'
import { withDestination } from '../pages/destination.ts'
import { registerNotFoundPage } from '../pages/error-page.ts'
import { takeForms } from '../pages/form-posts.ts'
import { newPageGuard } from '../pages/page-guard.ts'
import { identityPlace } from '../pages/places.ts'
import type { Service } from '../service.ts'
import { accessSurface } from '../surfaces/account/access.ts'
import { pinSurface } from '../surfaces/account/pin.ts'
import { profileSurface } from '../surfaces/account/profile.ts'
import { settingsSurface } from '../surfaces/account/settings-routes.ts'
import { botStatusBadges } from '../surfaces/bot-status/badge.ts'
import { botStatusFeed } from '../surfaces/bot-status/feed.ts'
import { botStatusPages } from '../surfaces/bot-status/page-routes.ts'
import { botStatusRoutes } from '../surfaces/bot-status/status-api.ts'
import { consentSurface } from '../surfaces/consent/routes.ts'
import { guideFinder } from '../surfaces/guides/search.ts'
import { keyboardSurface } from '../surfaces/keyboard/routes.ts'
import { linkedAccountsSurface } from '../surfaces/linked-accounts/routes.ts'
import { introspectEndpoint } from '../surfaces/oauth/introspect.ts'
import { metadataSurface } from '../surfaces/oauth/metadata.ts'
import { pushedRequestEndpoint } from '../surfaces/oauth/pushed-request.ts'
import { revokeEndpoint } from '../surfaces/oauth/revoke.ts'
import { tokenEndpoint } from '../surfaces/oauth/token.ts'
import { userinfoEndpoint } from '../surfaces/oauth/userinfo.ts'
import { ownerBotsSurface } from '../surfaces/owner-bots/routes.ts'
import { passkeysSurface } from '../surfaces/passkeys/routes.ts'
import { personalTokensSurface } from '../surfaces/personal-tokens/routes.ts'
import { recoverySurface } from '../surfaces/recovery/routes.ts'
import { searchSurface } from '../surfaces/search/routes.ts'
import { signInSurface } from '../surfaces/sign-in/routes.ts'
import { welcomeSurface } from '../surfaces/sign-in/welcome.ts'
import { subscriptionsSurface } from '../surfaces/subscriptions/routes.ts'
import { appHost, type Host, type PageParts, pageApp } from './app-host.ts'

type BaseParts = PageParts & { refusals: Refusals; tokenRefusals: Refusals }

/** Builds the listener for `{base_url}`: OAuth endpoints, bot status, API for owners, sign-in, account and bots. */
export async function baseHost(service: Service, parts: BaseParts): Promise<Host> {
  const { config } = service
  const { refusals, tokenRefusals, pageRefusals } = parts
  const rawRoutes = rawTables(service, parts)
  const own = { place: identityPlace, url: config.base.url, rawRoutes }
  const app = await pageApp(service, parts, own)
  app.addHook('onClose', async () => {
    refusals.close()
    tokenRefusals.close()
    pageRefusals.close()
  })
  await app.register(
    ownerApiSurface({
      ...service,
      personalTokens: service.accounts.personalTokens,
      refusals: tokenRefusals,
      baseUrl: config.base.url,
    }),
  )
  await app.register(pages(service, parts))

  const patternOf = (path: string) =>
    rawRoutes.map((routes) => routes.patternOf(path)).find((found) => found !== undefined)
  parts.access?.watch(app.server, 'identity', patternOf)
  return appHost('base', app, { ...parts, address: config.base })
}

/**
 * The routes that browsers use. They have their own plugin, so that `PageGuard` checks each of their POSTs for a form
 * token, but not the POSTs to the API for owners, which uses no cookies.
 */
function pages(service: Service, { guides, pageRefusals: refusals }: BaseParts): FastifyPluginAsync {
  const { config } = service
  const url = config.base.url
  const urls = { baseUrl: url, apiUrl: config.api.url, portalUrl: config.portal.url, controlUrl: config.control.url }
  const cookies = cookieJar('gatehouse', url)
  const { sendIss } = config

  return async (app) => {
    const guard = newPageGuard(app, {
      ...service,
      ...{ surface: 'identity', url, cookies },
      sites: { base: '', portal: config.portal.url },
      // `/account` is the default destination after sign-in.
      signInAddress: (_reply, back) =>
        withDestination('/sign-in', { attempt: undefined, returnTo: back === '/account' ? undefined : back }),
    })
    registerNotFoundPage(app, identityPlace, guard)
    const services = { ...service, ...urls, cookies, guard, refusals }

    keyboardSurface(services)(app)
    searchSurface({ ...services, searchGuides: guideFinder(guides) })(app)
    metadataSurface({ ...services, sendIss })(app)
    botStatusPages(services)(app)
    botStatusFeed(services)(app)
    botStatusBadges(services)(app)
    await app.register(async (forms) => {
      takeForms(forms)
      signInSurface(services)(forms)
      welcomeSurface(services)(forms)
      await forms.register(linkedAccountsSurface(services))
      profileSurface(services)(forms)
      pinSurface(services)(forms)
      passkeysSurface(services)(forms)
      personalTokensSurface(services)(forms)
      settingsSurface(services)(forms)
      accessSurface(services)(forms)
      subscriptionsSurface(services)(forms)
      recoverySurface(services)(forms)
    })
    await app.register(ownerBotsSurface(services))
    await app.register(consentSurface({ ...services, issuer: sendIss ? url : undefined }))
  }
}

function rawTables(service: Service, { trust, turns, counts, refusals }: BaseParts): RawRoutes[] {
  const { bots, clock, log, statusRequests } = service
  const services = { ...service, clients: clientAuthentication(service) }
  const endpoints = [tokenEndpoint, userinfoEndpoint, revokeEndpoint, introspectEndpoint, pushedRequestEndpoint]
  const raw = { clock, trust, turns, counts }
  return [
    oauthRoutes({ endpoints: endpoints.map((endpoint) => endpoint(services)), log, refusals, ...raw }),
    botStatusRoutes({ bots, log, requests: statusRequests, ...raw }),
  ]
}
