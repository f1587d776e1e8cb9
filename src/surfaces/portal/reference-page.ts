import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'
import { documentationHead, section, table } from '../../pages/components/elements.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { type Person, page } from '../../pages/page.ts'
import { referencePlace } from '../../pages/places.ts'

/** The subset of JSON Schema that the contracts use. */
interface Schema {
  title?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
}

interface Member {
  name: string
  type: string
  required: boolean
  description: string
}

/** Renders the OAuth endpoints from their contracts. The contracts' text exists only in English. */
export function referencePage(view: {
  person: Person | undefined
  operations: readonly DescribedOperation[]
  baseUrl: string
  apiUrl: string
}): Html {
  const { person, operations, baseUrl, apiUrl } = view
  const document = `${apiUrl}/openapi.json`
  return page({
    place: referencePlace,
    person,
    width: 'wide',
    title: t`API reference`,
    body: html`${documentationHead(t`API reference`, '/reference')}
<p class="soft">${t.html`The OAuth endpoints. The OpenAPI description at <a href="${document}">${document}</a> has the same content.`}</p>
<ul>${operations.map((each) => html`<li><a href="#${each.operationId}"><code>${each.method.toUpperCase()} ${each.path}</code></a></li>`)}</ul>
${operations.map((operation) => operationSection(operation, baseUrl))}`,
  })
}

function operationSection(operation: DescribedOperation, baseUrl: string): Html {
  const { operationId, method, path, summary, query, body, responses } = operation
  return section({
    id: operationId,
    title: html`<span lang="en">${summary}</span>`,
    about: html`<p><code>${method.toUpperCase()} ${baseUrl}${path}</code></p>`,
    body: html`${query !== undefined && schemaTables(t`Query parameters`, query as Schema)}
${body !== undefined && schemaTables(t.in('parameter')`Body`, body as Schema)}
${Object.entries(responses).map(
  ([
    status,
    { description, schema, headers = {} },
  ]) => html`<div class="card"><h3>${status}</h3><p lang="en">${description}</p>
${Object.entries(headers).map(([name, meaning]) => html`<p lang="en"><code>${name}</code> ${meaning}</p>`)}
${schema !== undefined && schemaTables(t`Response`, schema as Schema)}</div>`,
)}`,
  })
}

function schemaTables(heading: Text, schema: Schema): Html {
  const kinds = schema.anyOf ?? [schema]
  return html`${kinds.map((kind) => {
    const title = html`${heading}${kind.title !== undefined && html` <code>${kind.title}</code>`}`
    return html`<div class="stack tight members"><h3>${title}</h3>${table({
      caption: title,
      columns: [
        {
          title: t`Name and type`,
          cell: ({ name, type, required }: Member) =>
            html`<code>${breakable(name)}</code><br><code>${breakable(type)}</code>${required && html`, ${t`required`}`}`,
        },
        { title: t`Meaning`, lang: 'en', unlabelled: true, cell: ({ description }: Member) => description },
      ],
      rows: membersOf(kind, ''),
    })}</div>`
  })}`
}

/** Allows line breaks inside a long name with `<wbr>`, which isn't included when the name is copied. */
function breakable(name: string): Html {
  return html`${name.split(/(?<=[_.])/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`
}

/** Lists members depth-first. Nested members are named by their path, such as `bots[].id`. */
function membersOf(schema: Schema, way: string): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const required = schema.required?.includes(name) ?? false
    const own = { name: `${way}${name}`, type: typeOf(member), required, description: member.description ?? '' }
    const inner =
      member.items === undefined ? membersOf(member, `${own.name}.`) : membersOf(member.items, `${own.name}[].`)
    return [own, ...inner]
  })
}

function typeOf({ type, const: constant, enum: values, items, anyOf }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
  if (items !== undefined) return `${typeOf(items)}[]`
  return typeof type === 'string' ? type : (type ?? []).join(' | ')
}
