import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Accounts } from '../../../domain/accounts/accounts.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import type { Build } from '../../../domain/build.ts'
import { parseRuntimeId } from '../../../domain/ids.ts'
import type { FormError } from '../../../pages/form.ts'
import { numberIn } from '../../../pages/form-posts.ts'
import { formPost, question, showPage } from '../../../pages/form-routes.ts'
import { t } from '../../../pages/html.ts'
import { botTrail, questionIn } from '../bot-frame.ts'
import { keyEnding, keyFields, keyForm, revokesPrevious } from '../key-form.ts'
import { type BotPageServices, type BotVisit, onBot, onFound, sendNotFound } from '../on-bot.ts'
import { botDone, botErrors } from '../words.ts'
import {
  heardFromPlatform,
  hostingRuntimes,
  mayHost,
  type NewRuntime,
  runtimeForm,
  runtimesPage,
} from './runtimes-page.ts'

export interface RuntimeServices extends BotPageServices {
  accounts: Pick<Accounts, 'users'>
  apiUrl: string
  portalUrl: string
  build: Build
}

export function runtimeRoutes(app: FastifyInstance, services: RuntimeServices): void {
  const { runtimes } = services.bots

  const admit = onBot(services, 'change-runtimes')
  showPage(app, '/bots/:botId/runtimes', admit, async (visit) => sendRuntimes(services, visit))

  formPost(app, '/bots/:botId/runtimes', admit, {
    form: runtimeForm,
    errors: botErrors,
    show: (visit, filled) => sendRuntimes(services, visit, { filled }),
    async post(visit, { name, hosts }) {
      const { bot, by, request } = visit
      const made = await runtimes.make({ name, botIds: hosts === 'all' ? null : [bot.id] }, by)
      request.log.info({ bot: bot.id, user: by.userId, runtime: made.runtime.id }, 'runtime created')
      return sendRuntimes(services, visit, { made })
    },
  })

  const changing = {
    frame: ({ bot }: RuntimeVisit) => questionIn(botTrail(bot, 'runtimes')),
    errors: botErrors,
    show: (visit: RuntimeVisit, rejected: { errors: readonly FormError[]; status: number }) =>
      sendRuntimes(services, visit, { filled: rejected }),
  }

  question(app, '/bots/:botId/runtimes/:runtimeId/key', onRuntime(services, 'change-runtimes'), {
    ...changing,
    asks({ runtime: { name, keys } }) {
      const [, ending] = keys
      return {
        title: t`Replace the key of ${name}?`,
        effect: [t`The new key is shown only once and works immediately.`, ending && revokesPrevious(ending)],
        fields: [keyFields.keyBefore],
        submit: t`Replace key`,
      }
    },
    async post(visit) {
      const { by, request, runtime } = visit
      const { keyBefore } = keyForm.read(request)
      const made = await runtimes.makeKey(runtime.id, { by, keyBefore })
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime key created')
      return sendRuntimes(services, visit, { made })
    },
  })

  question(app, '/bots/:botId/runtimes/:runtimeId/keys/:number/end', onRuntime(services, 'change-runtimes'), {
    ...changing,
    asks({ runtime, request }) {
      const key = runtime.keys.find(({ number }) => number === numberIn(request))
      return (
        key && {
          title: t`Revoke this key now?`,
          effect: [
            t`The key ${keyEnding(key.lastFour)} of ${runtime.name} stops working now. Its connections are closed.`,
          ],
          submit: t`Revoke key`,
          cancel: t`Keep key`,
        }
      )
    },
    missing: sendNotFound,
    async post({ bot, by, request, runtime, redirect }) {
      await runtimes.endKey(runtime.id, numberIn(request), by)
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime key revoked')
      return redirect(`/bots/${bot.id}/runtimes`, botDone.keyEnded)
    },
  })

  question(app, '/bots/:botId/runtimes/:runtimeId/removal', onRuntime(services, 'change-runtimes'), {
    frame: changing.frame,
    asks: ({ runtime: { name, botIds } }) => ({
      title: t`Remove ${name}?`,
      effect: [
        botIds?.length === 1
          ? t`Its keys stop working and it is disconnected. The bot goes offline unless another runtime hosts it. Webhooks in progress are delivered again.`
          : t`Its keys stop working and it is disconnected. Its bots go offline unless another runtime hosts them. Webhooks in progress are delivered again.`,
      ],
      submit: t`Remove runtime`,
      cancel: t`Keep runtime`,
    }),
    async post({ bot, by, request, runtime, redirect }) {
      await runtimes.remove(runtime.id, by)
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime removed')
      return redirect(`/bots/${bot.id}/runtimes`, botDone.runtimeRemoved)
    },
  })
}

type RuntimeVisit = BotVisit & { runtime: RuntimeRecord }

/** Like `onBot`, but also passes the user's runtime identified by the URL, if it is allowed to host this bot. */
const onRuntime = onFound(async ({ bots }: RuntimeServices, { by, bot, request }) => {
  const id = parseRuntimeId((request.params as { runtimeId: string }).runtimeId)
  const runtime = id && (await bots.runtimes.find(id, by))
  return runtime && mayHost(runtime, bot) ? { runtime } : undefined
})

async function sendRuntimes(
  { accounts, bots, apiUrl, portalUrl, build }: RuntimeServices,
  visit: BotVisit,
  answer: {
    filled?: Partial<NewRuntime>
    /** The runtime whose key was created by this request. The page shows no others beside the new key. */
    made?: { runtime: RuntimeRecord; clearTextKey: string }
  } = {},
): Promise<FastifyReply> {
  const { filled = {}, made } = answer
  const all = await hostingRuntimes(bots, visit.bot)
  const runtimes = made === undefined ? all : all.filter(({ runtime }) => runtime.id === made.runtime.id)
  const platformHeardAtMs = made === undefined ? await heardFromPlatform(bots, visit.bot, all, visit.nowMs) : null
  const { version } = build
  const confirmFirst = filled.errors === undefined && (await accounts.users.mustConfirmEmail(visit.by.userId))
  const hosting = { runtimes, platformHeardAtMs, clearTextKey: made?.clearTextKey }
  return visit.send(
    runtimesPage({ ...visit, ...hosting, filled, confirmFirst, apiUrl, portalUrl, version }),
    filled.status,
  )
}
