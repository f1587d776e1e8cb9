import { cookieJar } from '../http/request-origin.ts'
import { registerNotFoundPage } from '../pages/error-page.ts'
import { newPageGuard } from '../pages/page-guard.ts'
import { portalPlace } from '../pages/places.ts'
import type { Service } from '../service.ts'
import { guidesSurface } from '../surfaces/guides/routes.ts'
import { guideFinder } from '../surfaces/guides/search.ts'
import { keyboardSurface } from '../surfaces/keyboard/routes.ts'
import { packagesSurface } from '../surfaces/packages/packages.ts'
import { portalSurface } from '../surfaces/portal/routes.ts'
import { portalSignIn } from '../surfaces/portal/sign-in.ts'
import { runTryOuts } from '../surfaces/portal/try-out.ts'
import { searchSurface } from '../surfaces/search/routes.ts'
import { describedOperations } from './api.ts'
import { appHost, type Host, type PageParts, pageApp } from './app-host.ts'

export async function portalHost(service: Service, parts: PageParts): Promise<Host> {
  const { config, secrets } = service
  const { guides } = parts
  const url = config.portal.url
  const app = await pageApp(service, parts, { place: portalPlace, url })
  const urls = { baseUrl: config.base.url, apiUrl: config.api.url, portalUrl: url }
  const cookies = cookieJar('gatehouse-portal', url)
  const signIn = portalSignIn({ key: secrets.keyFor('portal sign-in'), cookies, ...urls })
  const guard = newPageGuard(app, {
    ...service,
    ...{ surface: 'portal', url, cookies },
    // In case the session ends while a page with a form is open.
    formOrigins: [config.base.url],
    sites: { base: config.base.url, portal: '' },
    signInAddress: signIn.begin,
  })
  registerNotFoundPage(app, portalPlace, guard)
  const services = { ...service, ...urls, guard, refusals: parts.pageRefusals }
  const tryOuts = runTryOuts({ ...services, key: secrets.keyFor('try-out') })
  await app.register(portalSurface({ ...services, signIn, tryOuts, operations: describedOperations }))
  guidesSurface({ ...services, book: guides })(app)
  keyboardSurface(services)(app)
  searchSurface({ ...services, searchGuides: guideFinder(guides) })(app)
  packagesSurface({ ...services, packagesDir: config.packagesDir })(app)
  parts.access?.watch(app.server, 'portal', () => undefined)
  return appHost('portal', app, { ...parts, address: config.portal })
}
