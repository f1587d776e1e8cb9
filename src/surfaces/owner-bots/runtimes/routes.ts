import type { FastifyInstance, FastifyReply } from 'fastify'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { parseRuntimeId } from '../../../domain/ids-and-secrets.ts'
import { numberIn } from '../../../pages/form-posts.ts'
import { formPost, question, type Rejection, showPage } from '../../../pages/form-routes.ts'
import { t } from '../../../pages/html.ts'
import {
  type BotPageServices,
  type BotVisit,
  botTrail,
  onBot,
  onFound,
  questionIn,
  sendNotFound,
} from '../bot-pages.ts'
import { keyEnding, keyFields, keyForm, revokesPrevious } from '../key-form.ts'
import { botDone, botErrors } from '../words.ts'
import { loadRuntimes, mayHost, type RuntimesAnswer, runtimeForm, runtimesPage } from './runtimes-page.ts'

export function runtimeRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { runtimes } = services.bots

  const admit = onBot(services, 'change-runtimes')
  showPage(app, '/bots/:botId/runtimes', admit, sendRuntimes)

  formPost(app, '/bots/:botId/runtimes', admit, {
    form: runtimeForm,
    errors: botErrors,
    show: (visit, filled) => sendRuntimes(visit, { filled }),
    async post(visit, { name, hosts }) {
      const { bot, by, request } = visit
      const made = await runtimes.make({ name, botIds: hosts === 'all' ? null : [bot.id] }, by)
      request.log.info({ bot: bot.id, user: by.userId, runtime: made.runtime.id }, 'runtime created')
      return sendRuntimes(visit, { made })
    },
  })

  const changing = {
    frame: ({ bot }: RuntimeVisit) => questionIn(botTrail(bot, 'runtimes')),
    errors: botErrors,
    show: (visit: RuntimeVisit, rejected: Rejection) => sendRuntimes(visit, { filled: rejected }),
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
      return sendRuntimes(visit, { made })
    },
  })

  question(app, '/bots/:botId/runtimes/:runtimeId/keys/:number/end', onRuntime(services, 'change-runtimes'), {
    ...changing,
    asks(visit) {
      const { name, keys } = visit.runtime
      const key = keys.find(({ number }) => number === numberIn(visit.request))
      if (key === undefined) return sendNotFound(visit)
      return {
        title: t`Revoke this key now?`,
        effect: [t`The key ${keyEnding(key.lastFour)} of ${name} stops working now. Its connections are closed.`],
        submit: t`Revoke key`,
        cancel: t`Keep key`,
      }
    },
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
const onRuntime = onFound(async ({ services: { bots }, by, bot, request }) => {
  const id = parseRuntimeId((request.params as { runtimeId: string }).runtimeId)
  const runtime = id && (await bots.runtimes.find(id, by))
  return runtime && mayHost(runtime, bot) ? { runtime } : undefined
})

async function sendRuntimes(visit: BotVisit, answer: RuntimesAnswer = {}): Promise<FastifyReply> {
  const page = runtimesPage({ ...visit, ...(await loadRuntimes(visit, answer)) })
  return visit.send(page, answer.filled?.status)
}
