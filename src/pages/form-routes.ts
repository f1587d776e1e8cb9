import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'
import type { Refusal } from '../domain/refusal.ts'
import { pathOf } from '../http/request-origin.ts'
import { button, buttonRow, type LinkedCrumb, linkButton, postForm, submitOrCancel } from './components/elements.ts'
import * as forms from './form.ts'
import { type Html, html, type Text, t } from './html.ts'
import type { PageFrame } from './page.ts'
import type { PageGuard, SignedInRequest } from './page-guard.ts'

/** How a form shows a reason: beside a field, above it, or (`'missing'`) as 404. `undefined`: an internal error. */
export type Refusals<Reason extends string> = Readonly<Record<Reason, Shown>>

type Shown = readonly [field: string, text: Text] | Exclude<Text, string> | 'missing' | undefined

export type Rejection = Omit<forms.Filled<unknown>, 'values'>

/** Returns a function that turns a refusal into a form's errors. It rethrows errors that no form shows. */
export function errorsBy<Reason extends string>(
  kind: abstract new (...parameters: never[]) => Refusal<string>,
  refusals: Refusals<Reason>,
) {
  return (error: unknown): Rejection => {
    if (!(error instanceof kind)) throw error
    const errors = error.reasons.map((reason): forms.FormError => {
      const said = (refusals as Readonly<Record<string, Shown>>)[reason]
      if (said === undefined || said === 'missing') throw error
      return 'length' in said ? { field: said[0], message: said[1] } : { message: said }
    })
    return { status: 422, errors }
  }
}

/** Makes a route's handler for the users that it admits, such as `guard.signedIn`. */
export type Admit<Visit> = (work: (visit: Visit) => Promise<FastifyReply>) => ReturnType<PageGuard['signedIn']>

/** Returns what registers a page, or a POST such as that of a button, for users whom `admit` admits. */
function registering(method: 'get' | 'post') {
  return <Visit>(
    app: FastifyInstance,
    path: string,
    admit: Admit<Visit>,
    work: (visit: NoInfer<Visit>) => Promise<FastifyReply>,
    options: RouteShorthandOptions = {},
  ): void => {
    app[method](path, options, admit(work))
  }
}

export const showPage = registering('get')
export const acceptPost = registering('post')

interface FormWork<Visit, F extends forms.Fields> {
  /** Absent for a button, which posts no fields. */
  form?: forms.Form<F>
  /** Turns a refusal into the form's errors. Rethrows other errors. */
  errors(error: unknown, visit: Visit, values: forms.ValuesOf<F>): Rejection
  show(visit: Visit, filled: forms.Filled<forms.ValuesOf<F>>): FastifyReply | Promise<FastifyReply>
  post(visit: Visit, values: forms.ValuesOf<F>): Promise<FastifyReply>
  options?: RouteShorthandOptions
}

/** Registers a form that is on another page: applies what it posts or, if that is refused, shows it with its errors. */
export function formPost<Visit extends SignedInRequest, F extends forms.Fields>(
  app: FastifyInstance,
  path: string,
  admit: Admit<Visit>,
  { form, errors, show, post, options }: FormWork<NoInfer<Visit>, F>,
): void {
  const accept = async (visit: Visit) => {
    const values = form?.read(visit.request) ?? ({} as forms.ValuesOf<F>)
    try {
      return await post(visit, values)
    } catch (error) {
      return show(visit, { values, ...errors(error, visit, values) })
    }
  }
  acceptPost(app, path, admit, accept, options)
}

/** Registers a page with one form: GET shows it, and POST applies it. `path` is one path, or one for each method. */
export function formPage<Visit extends SignedInRequest, F extends forms.Fields>(
  app: FastifyInstance,
  path: string | { get: string; post: string },
  admit: Admit<Visit>,
  work: FormWork<NoInfer<Visit>, F> & { values(visit: NoInfer<Visit>): forms.ValuesOf<F> },
): void {
  const { get, post } = typeof path === 'string' ? { get: path, post: path } : path
  showPage(app, get, admit, async (visit) => work.show(visit, { values: work.values(visit), errors: [], status: 200 }))
  formPost(app, post, admit, work)
}

/** A page with nothing but a form. */
interface FormView extends Pick<PageFrame, 'place' | 'trail' | 'width' | 'canonical' | 'modules'> {
  title: Text
  heading?: Text
  about?: Text
  explains?: Text
  action: string
  submit: Text
  back: string
}

export function sendForm<F extends forms.Fields>(
  { show }: SignedInRequest,
  form: forms.Form<F>,
  filled: forms.Filled<forms.ValuesOf<F>>,
  { heading, about, explains, action, submit, back, ...frame }: FormView,
): FastifyReply {
  const { errors, status } = filled
  const body = html`<h1>${heading ?? frame.title}</h1>
${forms.errorNotices(errors)}
${!form.focusesError && forms.fieldErrorSummary(errors)}
${about !== undefined && html`<p>${about}</p>`}
${postForm(
  { action, style: 'card', novalidate: form.isTyped },
  explains !== undefined && html`<p>${explains}</p>`,
  Object.values(form.fields(filled)),
  submitOrCancel(submit, back),
)}`
  return show({ ...frame, status, body })
}

export interface Question {
  title: Text
  effect: readonly (Text | false | undefined)[]
  remark?: Text
  fields?: readonly (Html | false)[]
  submit: Text
  cancel?: Text
  /** URL to which the answer is posted. Default: the page's own. */
  action?: string
}

/** Where a question is asked. Its link back leads to the last breadcrumb. */
export type QuestionFrame = Pick<PageFrame, 'place' | 'width'> & { trail: readonly LinkedCrumb[] }

export function ask({ request, show }: SignedInRequest, frame: QuestionFrame, question: Question): FastifyReply {
  const { title, effect, remark, fields, submit, cancel = t`Cancel`, action = pathOf(request.url) } = question
  const back = frame.trail.at(-1)?.href ?? frame.place.href
  return show({
    ...frame,
    title,
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight">${effect.map((text) => text && html`<p>${text}</p>`)}${remark !== undefined && html`<p class="soft small">${remark}</p>`}</div>
${postForm({ action }, fields, buttonRow(button({ label: submit, tone: 'dangerous' }), linkButton({ label: cancel, href: back, tone: 'quiet' })))}</div>`,
  })
}

interface QuestionWork<Visit> {
  frame(visit: Visit): QuestionFrame
  /** Returns the question, or the response if there is nothing to ask about. */
  asks(visit: Visit): Question | FastifyReply | Promise<Question | FastifyReply>
  post(visit: Visit): Promise<FastifyReply>
  /** Turns a refusal into errors, which `show` shows. Rethrows other errors. */
  errors?(error: unknown, visit: Visit): Rejection
  show?(visit: Visit, rejected: Rejection): FastifyReply | Promise<FastifyReply>
}

/** Registers a question and its answer: GET asks before a change, and POST to the same path makes it. */
export function question<Visit extends SignedInRequest>(
  app: FastifyInstance,
  path: string,
  admit: Admit<Visit>,
  work: QuestionWork<NoInfer<Visit>>,
): void {
  const orRefused = (act: (visit: Visit) => FastifyReply | Promise<FastifyReply>) =>
    admit(async (visit) => {
      try {
        return await act(visit)
      } catch (error) {
        if (work.errors === undefined || work.show === undefined) throw error
        return work.show(visit, work.errors(error, visit))
      }
    })
  app.get(
    path,
    orRefused(async (visit) => {
      // A response resolves to nothing, once it is sent.
      const asked = (await work.asks(visit)) as Question | undefined
      return asked === undefined ? visit.reply : ask(visit, work.frame(visit), asked)
    }),
  )
  app.post(path, orRefused(work.post))
}
