import type { Profiler } from 'node:inspector'
import { type Kind, kindOf } from './kinds.ts'

/** A function and its callees, drawn as one box of a flame graph. */
export interface Frame {
  name: string
  kind: Kind
  micros: number
  /** Time spent in the function itself, without its callees. */
  ownMicros: number
  children: Map<string, Frame>
}

/**
 * Converts a profile into a tree, leaving out idle time and the profiler itself. Consecutive Node functions are merged
 * into one box named after the first, since only the point where our code calls Node matters.
 */
export function framesOf(profile: Profiler.Profile): Frame {
  const parents = new Map<number, Profiler.ProfileNode>()
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node)
  const byId = new Map(profile.nodes.map((node) => [node.id, node]))
  const root: Frame = { name: 'busy', kind: 'outside JavaScript', micros: 0, ownMicros: 0, children: new Map() }

  profile.samples?.forEach((id, index) => {
    const micros = profile.timeDeltas?.[index] ?? 0
    const path: Profiler.ProfileNode[] = []
    for (let node = byId.get(id); node !== undefined; node = parents.get(node.id)) path.unshift(node)
    const calls = path.slice(1).map(({ callFrame }) => callFrame)
    if (calls.some(({ url, functionName }) => url === 'node:inspector' || functionName === '(idle)')) return
    add(root, calls, micros)
  })
  return root
}

function add(root: Frame, calls: readonly { functionName: string; url: string }[], micros: number): void {
  let frame = root
  frame.micros += micros
  for (const call of calls) {
    const kind = kindOf(call) ?? frame.kind
    if (kind === 'Node’s HTTP, sockets' && frame.kind === kind && frame !== root) continue
    const name = nameOf(call)
    const child = frame.children.get(name) ?? { name, kind, micros: 0, ownMicros: 0, children: new Map() }
    frame.children.set(name, child)
    child.micros += micros
    frame = child
  }
  frame.ownMicros += micros
}

function nameOf({ functionName, url }: { functionName: string; url: string }): string {
  const file = url.split('/').at(-1) ?? ''
  if (functionName === '') return file === '' ? 'function' : file
  return url.includes('/src/') ? `${functionName} · ${file}` : functionName
}

export function sharesOf(root: Frame): Record<Kind, number> {
  const shares = {} as Record<Kind, number>
  const visit = (frame: Frame) => {
    shares[frame.kind] = (shares[frame.kind] ?? 0) + frame.ownMicros / root.micros
    for (const child of frame.children.values()) visit(child)
  }
  visit(root)
  return shares
}
