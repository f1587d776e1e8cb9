import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope-descriptions.ts'
import { parseApplicationId } from '../../domain/ids.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { formText } from '../../pages/form-fields.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import { type AccountVisitRooms, forOwner, onAccount, sayDone } from './account-visit.ts'
import type { AccessView } from './views/access-view.ts'

export interface AccessRooms {
  accounts: Accounts
  authorization: Authorization
}

/** Takes access to an account back: browsers that are signed in, and applications that were allowed something. */
export function accessSurface(rooms: AccountVisitRooms & AccessRooms): Mount {
  const { openSessions } = rooms.accounts
  return (app) => {
    app.post(
      '/account/sessions/others/end',
      forOwner(
        rooms,
        async ({ session, request, reply }) => {
          const ended = await openSessions.endOthers(session)
          request.log.info({ user: session.userId, ended }, 'all other sessions ended')
          return sayDone(rooms, reply, 'sessions')
        },
        onAccount,
      ),
    )

    app.post(
      '/account/sessions/end',
      forOwner(
        rooms,
        async ({ session, request, reply }) => {
          const number = Number(formText(request, 'session'))
          if (Number.isSafeInteger(number)) await openSessions.end(session, number)
          return sayDone(rooms, reply, 'session')
        },
        onAccount,
      ),
    )

    app.post(
      '/account/applications/withdrawal',
      forOwner(
        rooms,
        async ({ session, request, reply }) => {
          const id = parseApplicationId(formText(request, 'application'))
          if (id !== undefined) {
            await rooms.authorization.withdrawConsent(session.userId, id, browserInfo(request))
            request.log.info({ user: session.userId, applicationId: id }, 'consent withdrawn')
          }
          return sayDone(rooms, reply, 'application')
        },
        onAccount,
      ),
    )
  }
}

/** Who has access to the account, for its page. */
export async function accessOf({ accounts, authorization }: AccessRooms, session: Session): Promise<AccessView> {
  const descriptions = describeScopes(await authorization.declaredScopes())
  const consents = await authorization.listConsents(session.userId)
  return {
    thisSession: session.number,
    sessions: await accounts.openSessions.list(session),
    applications: consents.map(({ applicationId, applicationName, websiteUrl, scopes, ...times }) => ({
      id: applicationId,
      name: applicationName,
      websiteHost: new URL(websiteUrl).host,
      scopes: scopes.map((name) => scopeWords(name, descriptions)),
      ...times,
    })),
  }
}
