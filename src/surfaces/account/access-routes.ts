import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope-descriptions.ts'
import { parseApplicationId } from '../../domain/ids.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { formText } from '../../pages/form-fields.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import { type AccountFormServices, onAccount, redirectToAccount } from './account-forms.ts'
import type { AccessView } from './views/access-view.ts'

export interface AccessServices {
  accounts: Pick<Accounts, 'openSessions'>
  authorization: Pick<Authorization, 'consents' | 'scopes'>
}

export function accessSurface(services: AccountFormServices & AccessServices): Mount {
  const { openSessions } = services.accounts
  return (app) => {
    app.post(
      '/account/sessions/others/end',
      services.guard.signedIn(async ({ session, request, reply }) => {
        const ended = await openSessions.endOthers(session)
        request.log.info({ user: session.userId, ...ended }, 'all other sessions ended')
        return redirectToAccount(services, reply, 'sessions')
      }, onAccount),
    )

    app.post(
      '/account/sessions/end',
      services.guard.signedIn(async ({ session, request, reply }) => {
        const number = Number(formText(request, 'session'))
        if (Number.isSafeInteger(number)) await openSessions.end(session, number)
        return redirectToAccount(services, reply, 'session')
      }, onAccount),
    )

    app.post(
      '/account/applications/withdrawal',
      services.guard.signedIn(async ({ session, request, reply }) => {
        const id = parseApplicationId(formText(request, 'application'))
        if (id !== undefined) {
          await services.authorization.consents.withdraw(session.userId, id, browserInfo(request))
          request.log.info({ user: session.userId, applicationId: id }, 'consent withdrawn')
        }
        return redirectToAccount(services, reply, 'application')
      }, onAccount),
    )
  }
}

export async function accessOf({ accounts, authorization }: AccessServices, session: Session): Promise<AccessView> {
  const descriptions = describeScopes(await authorization.scopes.list())
  const consents = await authorization.consents.list(session.userId)
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
