import type { FastifyInstance, FastifyReply } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { parseFlowId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { FormError } from '../../../pages/form.ts'
import { formText, numberIn } from '../../../pages/form-posts.ts'
import { ask, formPost, type Question, type QuestionFrame, question, showPage } from '../../../pages/form-routes.ts'
import { html, t } from '../../../pages/html.ts'
import {
  type BotPageServices,
  type BotVisit,
  botTrail,
  onFound,
  pageAt,
  questionIn,
  sendNotFound,
} from '../bot-pages.ts'
import { botDone, botErrors, keyEnding, keyFields, keyForm, revokesPrevious } from '../words.ts'
import { currentKeyOf, flowPage } from './flow-page.ts'
import type { FlowInput } from './flow-settings-sections.ts'
import { type Signature, signatureForm, type Taking, takingForm } from './flow-settings-sections.ts'

export function flowRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { flows } = services.bots

  showPage(app, '/bots/:botId/flows/:flowId', onFlow(services, 'see'), sendFlow)

  question(app, '/bots/:botId/flows/:flowId/key', onFlow(services, 'change-keys'), {
    frame: flowFrame,
    asks: newKeyQuestion,
    ...refused,
    async post(visit) {
      const { bot, by, flow, request } = visit
      const { keyBefore, requirement } = keyForm.read(request)
      const keepsOptional = requirement === 'optional'
      const made = await flows.makeKey(bot.id, flow.id, { by, keyBefore, keepsOptional })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow key created')
      return sendFlow({ ...visit, flow: made.flow }, { clearTextKey: made.clearTextKey })
    },
  })

  question(app, '/bots/:botId/flows/:flowId/keys/:number/end', onFlow(services, 'change-keys'), {
    frame: flowFrame,
    asks(visit) {
      const { webhook } = visit.flow
      const key = webhook?.keys.find(({ number }) => number === numberIn(visit.request))
      if (key === undefined) return sendNotFound(visit)
      return {
        title: t`Revoke this key now?`,
        effect: [
          html`${t`The key ${keyEnding(key.lastFour)} stops working now.`}${webhook?.requiresKey && html` ${t`Webhooks with this key are rejected with 401.`}`}`,
        ],
        submit: t`Revoke key`,
        cancel: t`Keep key`,
      }
    },
    ...refused,
    async post({ bot, by, flow, request, redirect }) {
      await flows.endKey(bot.id, flow.id, numberIn(request), { by })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow key revoked')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.keyEnded)
    },
  })
}

const refused = { errors: botErrors, show: sendFlow }

/** Like `onBot`, but also passes the flow identified by the URL. */
export const onFlow = onFound(async ({ services: { bots }, bot, request }) => {
  const id = parseFlowId((request.params as { flowId: string }).flowId)
  const flow = id && (await bots.flows.find(bot.id, id))
  return flow && { flow }
})

export type FlowVisit = BotVisit & { flow: Flow }

export function flowFrame({ bot, flow }: FlowVisit): QuestionFrame {
  return questionIn([...botTrail(bot, 'flows'), { name: flow.name, href: `/bots/${bot.id}/flows/${flow.id}` }])
}

export function newKeyQuestion({ bot, flow }: FlowVisit): Question {
  const [current, ending] = flow.webhook?.keys ?? []
  const replaces = current !== undefined
  return {
    title: replaces ? t`Replace the key of ${flow.name}?` : t`Create a key for ${flow.name}?`,
    effect: [t`The new key is shown only once and works immediately.`, ending && revokesPrevious(ending)],
    fields: [replaces && keyFields.keyBefore, flow.webhook?.requiresKey === false && keyFields.requirement],
    submit: replaces ? t`Replace key` : t`Create key`,
    action: `/bots/${bot.id}/flows/${flow.id}/key`,
  }
}

export async function sendFlow(
  visit: FlowVisit,
  answer: { status?: number; errors?: readonly FormError[]; clearTextKey?: string | undefined; input?: FlowInput } = {},
): Promise<FastifyReply> {
  const { status, errors = [], clearTextKey, input = {} } = answer
  const { services, bot, by, flow } = visit
  const { flows } = services.bots
  const may = {
    keys: mayDo(visit, 'change-keys'),
    flows: mayDo(visit, 'change-flows'),
    test: flow.webhook !== null && mayTest(visit, flow.webhook),
    manage: flows.ownersManage && mayDo(visit, 'manage-flows'),
  }
  // With a new key, the page shows none: if reading them failed, the key would be lost.
  const refused =
    clearTextKey === undefined && mayDo(visit, 'read-bodies')
      ? await services.refusalLog.list(by.userId, bot.id, flow.id, limits.refusedWebhooksShownOfFlow)
      : undefined
  return visit.send(flowPage({ ...visit, refused, may, errors, input, clearTextKey }), status)
}

/** Returns whether the user may send test webhooks. A test passes the flow's key and signature. */
export function mayTest(standing: Parameters<typeof mayDo>[0], { requiresKey, signature }: FlowWebhook): boolean {
  const isProtected = requiresKey || signature !== null
  return mayDo(standing, 'change-flows') && (!isProtected || mayDo(standing, 'change-keys'))
}

/** Registers the forms for ordering and deduplication, key requirement, and signature. */
export function flowSettingsRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { flows } = services.bots
  const page = pageAt('/bots/:botId/flows/:flowId')
  const onSettings = (action: 'change-flows' | 'change-keys') => onFlow(services, { action, page })

  formPost(app, '/bots/:botId/flows/:flowId/taking', onSettings('change-flows'), {
    form: takingForm,
    errors: botErrors,
    show: (visit, { values: taking, ...rejected }) => sendFlow(visit, { ...rejected, input: { taking } }),
    async post({ bot, by, flow, request, redirect }, taking) {
      await flows.changeWebhook(bot.id, flow.id, { by, ordered: taking.ordered, dedupe: dedupeOf(taking) })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow changed')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.flowChanged)
    },
  })

  showPage(app, '/bots/:botId/flows/:flowId/key-requirement', onFlow(services, 'change-keys'), async (visit) =>
    askToRequireKey(visit),
  )

  formPost(app, '/bots/:botId/flows/:flowId/key-requirement', onSettings('change-keys'), {
    ...refused,
    async post(visit) {
      const { bot, by, flow, request, redirect } = visit
      const ownerRequiresKey = formText(request, 'required') !== 'no'
      // Requiring a key that no sender has would reject all webhooks.
      if (ownerRequiresKey && currentKeyOf(flow) === undefined) return askToRequireKey(visit)
      const put = await flows.changeWebhook(bot.id, flow.id, { by, ownerRequiresKey })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId, ownerRequiresKey }, 'key requirement changed')
      // The flow's key was removed meanwhile, so one was created. It is shown only in this response.
      const { clearTextKey } = put
      if (clearTextKey !== undefined) return sendFlow({ ...visit, flow: put.flow }, { clearTextKey })
      const done = ownerRequiresKey ? botDone.keyRequired : botDone.keyNotRequired
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, done)
    },
  })

  formPost(app, '/bots/:botId/flows/:flowId/signature', onSettings('change-keys'), {
    form: signatureForm,
    errors: botErrors,
    show: (visit, { values: signature, ...rejected }) => sendFlow(visit, { ...rejected, input: { signature } }),
    async post({ bot, by, flow, request, redirect }, signature) {
      await flows.changeWebhook(bot.id, flow.id, { by, signature: signatureOf(signature) })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow signature changed')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.flowChanged)
    },
  })

  formPost(app, '/bots/:botId/flows/:flowId/previous-secret/end', onSettings('change-keys'), {
    ...refused,
    async post({ bot, by, flow, request, redirect }) {
      await flows.changeWebhook(bot.id, flow.id, { by, endsPreviousSecret: true })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'previous signing secret ended')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.flowChanged)
    },
  })
}

/** Asks before the flow's key is required or, without a key, before one is created. */
function askToRequireKey(visit: FlowVisit): FastifyReply {
  const { flow } = visit
  const lastFour = currentKeyOf(flow)?.lastFour
  if (lastFour === undefined) return ask(visit, flowFrame(visit), newKeyQuestion(visit))
  return ask(visit, flowFrame(visit), {
    title: t`Require the key of ${flow.name}?`,
    effect: [
      t`Webhooks without the key ${keyEnding(lastFour)} are then rejected with 401. Enter it at every sender first.`,
    ],
    fields: [html`<input type="hidden" name="required" value="yes">`],
    submit: t`Require key`,
  })
}

function dedupeOf({ dedupeBy, dedupeHeader: header, dedupePointer: pointer, dedupeWindow: window }: Taking) {
  if (dedupeBy === '') return null
  const windowSeconds = window === '' ? undefined : Number(window)
  return dedupeBy === 'header' ? { header, windowSeconds } : { pointer, windowSeconds }
}

/** Returns the signature settings with only the preset's own fields, or `null` if no preset is chosen. */
function signatureOf({ preset, publicKey, secret, header, ...input }: Signature) {
  if (preset === '') return null
  if (preset === 'discord') return { preset, publicKey }
  // An empty field keeps the stored secret.
  const clearTextSecret = secret === '' ? undefined : secret
  if (preset === 'token') return { preset, clearTextSecret, header }
  if (preset !== 'hmac') return { preset, clearTextSecret }
  const { hash, encoding, prefix } = input
  const signed = input.signed || undefined
  const timestampHeader = input.timestampHeader || undefined
  const timestampPart = input.timestampPart || undefined
  return { preset, clearTextSecret, header, hash, encoding, prefix, signed, timestampHeader, timestampPart }
}
