import { newApp, rejectPrefetches } from '../http/new-app.ts'
import { cookieJar, redirectToOwnHost } from '../http/request-origin.ts'
import { appearanceRoute, assetsRoute } from '../pages/appearance.ts'
import { malformedPage, registerErrorPages, registerNotFoundPage } from '../pages/error-page.ts'
import { Flash, FormTokens } from '../pages/form-posts.ts'
import { BrowserSessions, PageGuard } from '../pages/page-guard.ts'
import { portalPlace } from '../pages/places.ts'
import type { Service } from '../service.ts'
import { guidesSurface } from '../surfaces/guides/routes.ts'
import { guideFinder } from '../surfaces/guides/search.ts'
import { keyboardSurface } from '../surfaces/keyboard/routes.ts'
import { packagesSurface } from '../surfaces/packages/routes.ts'
import { portalSurface } from '../surfaces/portal/routes.ts'
import { portalSignIn } from '../surfaces/portal/sign-in.ts'
import { runTryOuts } from '../surfaces/portal/try-out.ts'
import { searchSurface } from '../surfaces/search/routes.ts'
import { describedOperations } from './api.ts'
import { appHost, type Host, type PageParts } from './app-host.ts'

/** Builds the listener for `{portal_url}`: the developer portal. */
export async function portalHost(service: Service, parts: PageParts): Promise<Host> {
  const { config, log, accounts, authorization, profile, secrets } = service
  const { guides, pageRefusals: refusals } = parts
  const malformed = malformedPage(portalPlace, new URL(config.portal.url).hostname)
  const app = await newApp({ ...parts, log, health: service.gatewayHealth, malformed })
  parts.oneInTurn(app)
  registerErrorPages(app, portalPlace, refusals)
  rejectPrefetches(app)
  redirectToOwnHost(app, config.portal.url)
  assetsRoute(app)
  appearanceRoute(app)
  const urls = { baseUrl: config.base.url, portalUrl: config.portal.url }
  const cookies = cookieJar('gatehouse-portal', config.portal.url)
  const sessions = new BrowserSessions({ accounts, cookies, surface: 'portal' })
  const signIn = portalSignIn({ key: secrets.keyFor('portal sign-in'), cookies, ...urls })
  const flash = new Flash(secrets.keysFor('flash messages, portal'), cookies)
  const guard = new PageGuard(app, {
    sessions,
    formTokens: new FormTokens(secrets.keysFor('form token, portal'), cookies, {
      url: config.portal.url,
      setting: 'PORTAL_URL',
    }),
    audit: service.audit,
    flash,
    // In case the session ends while a page with a form is open.
    formOrigins: [config.base.url],
    sites: { base: config.base.url, portal: '' },
    signInAddress: (reply, back) => signIn.begin(reply, back),
  })
  registerNotFoundPage(app, portalPlace, guard)
  await app.register(
    portalSurface({
      ...service,
      guard,
      refusals,
      sessions,
      signIn,
      tryOuts: runTryOuts({ key: secrets.keyFor('try-out'), authorization, profile, ...urls }),
      ...urls,
      apiUrl: config.api.url,
      operations: describedOperations,
    }),
  )
  guidesSurface({ ...service, guard, sessions, book: guides })(app)
  keyboardSurface({ guard })(app)
  searchSurface({ ...service, guard, searchGuides: guideFinder(guides) })(app)
  packagesSurface({ guard, log, portalUrl: config.portal.url, packagesDir: config.packagesDir })(app)
  parts.access?.watch(app.server, 'portal', () => undefined)
  return appHost('portal', app, { ...parts, address: config.portal })
}
