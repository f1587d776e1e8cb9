import { siteSearchMaxCharacters } from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { find, type SearchServices } from './find.ts'
import { searchPage } from './views/search-page.ts'

/**
 * `GET /search`: finds pages of the signed-in user. Served on both origins with pages, so that the script of each page
 * can load results from its own origin.
 */
export function searchSurface(services: SearchServices & { guard: PageGuard }): Mount {
  return (app) => {
    app.get(
      '/search',
      services.guard.signedIn(async ({ session, person, request, reply }) => {
        const { q } = request.query as Record<string, unknown>
        const search = typeof q === 'string' ? q.trim().slice(0, siteSearchMaxCharacters) : ''
        const found = await find(services, session.userId, search, person.sites)
        return sendPage(reply, searchPage({ person, search, ...found }))
      }),
    )
  }
}
