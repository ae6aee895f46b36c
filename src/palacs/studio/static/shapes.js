// What the REST interface answers, for the type checker and the reader: nothing here runs, and
// no page loads it.

/**
 * @typedef {string | number} Label A class.
 * @typedef {string} Time A time, as ISO 8601 writes it.
 *
 * @typedef {object} CampaignRow A campaign in the list.
 * @property {string} name
 * @property {Label[]} classes
 * @property {string} strategy
 * @property {number | null} budget
 * @property {number} acquired
 * @property {number} pending
 * @property {number} awaiting
 * @property {string} phase
 * @property {Time} created_at
 * @property {string | null} error
 *
 * @typedef {object} Details A campaign's settings and status.
 * @property {{ classes: Label[], groups?: string[], attrs?: Record<string, any>, features?: { names?: string[] } }} settings
 * @property {Status} status
 *
 * @typedef {object} Status
 * @property {number} instances
 * @property {number} n_features
 *
 * @typedef {object} Pending A request whose instance is still to come.
 * @property {string} id
 * @property {Label} label
 * @property {Time | null} expires_at
 * @property {boolean} performed
 * @property {string | null} holder The page or program it belongs to.
 *
 * @typedef {{ id: string, label: Label }} Shown A request as a cue shows it.
 *
 * @typedef {object} Cue What one page has to do.
 * @property {number} seq
 * @property {Label[]} classes
 * @property {Shown | null} asked
 * @property {Shown | null} free One that belongs to nobody.
 * @property {Shown[]} awaiting
 * @property {string} ends Why nothing can be asked for; else empty.
 *
 * @typedef {object} Timeline How one trial of a session goes, in seconds or pairs of them.
 * @property {number | number[]} fixation
 * @property {number | number[]} cue
 * @property {number | number[]} performing
 * @property {number | number[]} rest
 * @property {number | null} block
 * @property {number | null} break
 * @property {Record<Label, string>} [pictures]
 * @property {Record<Label, number | string>} [sounds]
 *
 * @typedef {object} ClassRow A class on the bench.
 * @property {Label} label
 * @property {number} count
 * @property {number} share
 * @property {boolean} paused
 * @property {number | null} recall
 *
 * @typedef {object} Insight What the bench shows.
 * @property {number} seq
 * @property {"open" | "closed" | "archived"} phase
 * @property {number | null} budget
 * @property {string} strategy
 * @property {Pending[]} pending
 * @property {{ id: string, label: Label } | null} asked
 * @property {Label | null} next
 * @property {string} why
 * @property {Record<Label, number | null>} utilities
 * @property {ClassRow[]} classes
 * @property {{ acquired: number, accuracy: number | null, recall: Record<Label, number | null> }[]} accuracy
 * @property {{ names: string[], remark: string }} groups Who is left out at a time; none without.
 * @property {{ labels: Label[], matrix: number[][] }} confusion
 * @property {{ method: string, points: MapPoint[] }} map
 *
 * @typedef {object} MapPoint An instance on the map.
 * @property {number} x
 * @property {number} y
 * @property {Label} label
 * @property {boolean} [latest]
 *
 * @typedef {object} HistoryRow A request or an unsolicited instance; what did not happen is null.
 * @property {string} id
 * @property {string} state
 * @property {Label | null} asked
 * @property {Label | null} label
 * @property {number | null} utility
 * @property {string | null} reason
 * @property {Time | null} asked_at
 * @property {Time | null} performed_at
 * @property {Time | null} told_at
 * @property {Time | null} failed_at
 * @property {Time | null} retracted_at
 * @property {string | null} asked_by
 * @property {string | null} told_by
 * @property {string | null} recording
 * @property {Record<string, any>} attrs
 *
 * @typedef {{ x: number[], label: Label }} Instance
 *
 * @typedef {object} Seen What a look inside shows, whatever the number of features.
 * @property {string} strategy
 * @property {Label[]} classes
 * @property {number} bandwidth
 * @property {number[]} xs
 * @property {Record<Label, number>} sums
 * @property {Instance[]} points
 *
 * @typedef {object} OnLine Quantities over one feature.
 * @property {1} n_features
 * @property {number[]} density
 * @property {Record<Label, number[]>} densities
 * @property {number[]} gain
 * @property {number[]} weighted_gain
 * @property {Record<Label, number[]>} contributions
 *
 * @typedef {object} OnPlane Quantities over two features: a row for each of `ys`.
 * @property {2} n_features
 * @property {number[]} ys
 * @property {number[][]} density
 * @property {number[][]} gain
 * @property {number[][]} weighted_gain
 * @property {Record<Label, number[][]>} contributions
 *
 * @typedef {Seen & OnLine} SeenOnLine
 * @typedef {Seen & OnPlane} SeenOnPlane
 *
 * @typedef {{ id: string, label: string, utilities: Record<string, number | null> }} DrawingRequest
 * @typedef {{ id: string, label: string, x: number[] }} Drawing
 *
 * @typedef {object} DrawingProgress How well digits nobody drew are read.
 * @property {number} seq
 * @property {number} acquired
 * @property {number | null} accuracy
 * @property {Record<string, number>} recall
 * @property {Record<string, number>} counts
 * @property {{ acquired: number, accuracy: number }[]} curve
 * @property {Drawing[]} drawings
 */

export {};
