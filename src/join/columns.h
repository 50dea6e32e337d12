/* join/columns.h -- column collapse: items that occur in exactly the same rows
 * become one weighted class.
 *
 * Rows are sets of items; an item's posting list is the rows (of one block)
 * that hold it.  All items with equal lists form a class: its weight is how
 * many they are, its list is stored once.  Items of a single row are private
 * to it and only counted.  What two rows share is the weight of the classes
 * they have in common, so everything after this step works on classes: on real
 * version chains 15 times fewer postings than items.
 *
 * Classes are numbered (ranked) from the shortest list to the longest.  A bag's
 * item that occurs c times in a row counts as c items, the l-th of which is in
 * the rows that hold it at least l times.
 *
 * Method: the value range of items is cut into partitions; each row is read up
 * to the end of the partition from where the last one stopped (sets ascend), so
 * that the sets stream from where they are stored and only one partition is in
 * memory; a partition is scattered into buckets of a few thousand entries,
 * each grouped by a small table in cache; every list is then looked up by its
 * signature in a table of classes and compared in full.
 * Cost: about 20 bytes x the entries of a partition, and for each class 20 bytes
 * + 8 bytes a posting.
 */
#ifndef WINNOW_JOIN_COLUMNS_H
#define WINNOW_JOIN_COLUMNS_H
#include "base/err.h"
#include "join/query.h"

struct columns_index {
	uint32_t rows, classes;
	uint64_t postings;
	uint64_t *forward_start; /* [rows + 1] */
	uint32_t *forward;	 /* classes of a row, ascending */
	uint64_t *post_start;	 /* [classes + 1] */
	uint32_t *post;		 /* rows of a class, ascending */
	uint32_t *weight;	 /* [classes] */
	uint32_t *privately;	 /* [rows] items that no other row of the block has */
	size_t bytes[5];	 /* of the mapped arrays */
};

/* Items that matter: bit item >> shift of bits.  Others are left out as if no
 * two rows had them. */
struct columns_filter {
	uint64_t *bits;
	unsigned shift;
};

/* A number for a list of rows. */
uint64_t columns_signature(const uint32_t *list, uint32_t n);

struct postings_writer; /* postings.h */

/* set[r], block[r] of each row; rows of one block are consecutive.  filter and o
 * (threads, progress) may be NULL; keep, if not NULL, gets the buckets (not of bags).  WN_LIMIT
 * when it would need more than `memory` bytes: then take fewer rows at once. */
int columns_build(struct columns_index *out, const struct join_sets *sets, const uint32_t *set, const uint32_t *block,
		  uint32_t rows, const struct columns_filter *filter, const struct join_options *o, size_t memory,
		  struct postings_writer *keep, struct err *err);
void columns_index_release(struct columns_index *c); /* zero is fine */
#endif
