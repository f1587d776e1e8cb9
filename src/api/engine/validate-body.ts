import { Ajv, type ErrorObject } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { Schema } from '../../http/json-schema.ts'
import { invalidBody, type MemberFault } from './problem.ts'

interface SchemaNode {
  description?: string
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  anyOf?: SchemaNode[]
}

export const ajv = new Ajv({ allErrors: true, unicodeRegExp: true, formats: { 'date-time': true } })
const describedErrors = 20

/** Throws a problem that lists all faults if a body doesn't match its schema. Neither coerces nor removes anything. */
export const validatorCompiler: FastifySchemaCompiler<Schema> =
  ({ schema }) =>
  (value) => {
    // Compiles each schema when its first body arrives.
    const valid = ajv.validate(schema, value)
    const faults = valid
      ? unstorableTexts(value)
      : describe(schema as SchemaNode, (ajv.errors ?? []).slice(0, describedErrors))
    return faults.length === 0 ? { value } : { error: invalidBody(faults) }
  }

/**
 * Finds strings that can't be stored: with NUL (PostgreSQL), or an unpaired surrogate such as `\ud800` (UTF-8).
 * Recurses no deeper than the schema, because the value has been validated.
 */
function unstorableTexts(value: unknown, path = ''): MemberFault[] {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return []
    return [{ pointer: `#${path}`, detail: 'The string contains NUL or an unpaired surrogate; remove it.' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inside]) => unstorableTexts(inside, `${path}/${escapePointer(name)}`))
}

function describe(schema: SchemaNode, errors: readonly ErrorObject[]): MemberFault[] {
  const faults = new Map<string, string>()
  for (const { keyword, instancePath, params } of errors) {
    if (keyword === 'required') {
      const path = `${instancePath}/${escapePointer(params.missingProperty)}`
      faults.set(path, `This member is missing. Expected: ${expectedAt(schema, path)}.`)
    } else if (keyword === 'additionalProperties') {
      const shapes = shapesOf(nodeAt(schema, instancePath))
      const known = shapes.flatMap((shape) => Object.keys(shape.properties ?? {})).join(', ') || 'none'
      const path = `${instancePath}/${escapePointer(params.additionalProperty)}`
      faults.set(path, `Unknown member; remove it. Known members: ${known}.`)
    } else if (!faults.has(instancePath)) {
      faults.set(instancePath, `Expected: ${expectedAt(schema, instancePath)}.`)
    }
  }
  const hasFaultInside = (path: string) => [...faults.keys()].some((other) => other.startsWith(`${path}/`))
  return [...faults]
    .filter(([path]) => !hasFaultInside(path))
    .map(([path, detail]) => ({ pointer: `#${path}`, detail }))
}

function expectedAt(schema: SchemaNode, path: string): string {
  return nodeAt(schema, path)?.description ?? 'a different type of value'
}

function nodeAt(schema: SchemaNode, path: string): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema
  for (const escaped of path.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    const next: SchemaNode | undefined = shapesOf(node)
      .map((shape) => shape.properties?.[step] ?? (/^\d+$/.test(step) ? shape.items : undefined))
      .find((found) => found !== undefined)
    if (next === undefined) return undefined
    node = next
  }
  return node
}

function shapesOf(node: SchemaNode | undefined): SchemaNode[] {
  return node === undefined ? [] : [node, ...(node.anyOf ?? [])]
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
