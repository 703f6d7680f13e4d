// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merkle trees of which only some leaves matter.

use rayon::prelude::*;

use crate::filecoin::c1::{List, Node, PathElement};

/// A tree over known leaves, in which every subtree without one has a made-up root.
pub struct SparseTree<F> {
    arities: Vec<usize>,
    /// The known nodes of each row, the leaves' first, by index.
    rows: Vec<Vec<(u64, Node)>>,
    /// Makes up the root of the subtree at a row and an index.
    filler: F,
}

impl<F: Fn(usize, u64) -> Node + Sync> SparseTree<F> {
    /// Builds the tree up from `leaves`, ascending; `arities` are those of the
    /// levels, from the leaves on.
    pub fn new(
        leaves: Vec<(u64, Node)>,
        arities: Vec<usize>,
        filler: F,
        hash: impl Fn(&[Node]) -> Node + Sync,
    ) -> Self {
        let mut tree = Self {
            arities,
            rows: vec![leaves],
            filler,
        };
        for row in 0..tree.arities.len() {
            let arity = tree.arities[row] as u64;
            let mut parents: Vec<u64> = tree.rows[row].iter().map(|(i, _)| i / arity).collect();
            parents.dedup();
            let parents = parents
                .into_par_iter()
                .map(|parent| {
                    let children: Vec<Node> = (parent * arity..(parent + 1) * arity)
                        .map(|child| tree.node(row, child))
                        .collect();
                    (parent, hash(&children))
                })
                .collect();
            tree.rows.push(parents);
        }
        tree
    }

    /// A leaf.
    pub fn leaf(&self, index: u64) -> Node {
        self.node(0, index)
    }

    /// The root.
    pub fn root(&self) -> Node {
        self.node(self.arities.len(), 0)
    }

    /// The path of a leaf, from there on.
    pub fn path(&self, leaf: u64) -> Vec<PathElement> {
        let mut index = leaf;
        let mut path = Vec::with_capacity(self.arities.len());
        for (row, &arity) in self.arities.iter().enumerate() {
            let arity = arity as u64;
            let first = index - index % arity;
            path.push(PathElement {
                hashes: List(
                    (first..first + arity)
                        .filter(|sibling| *sibling != index)
                        .map(|sibling| self.node(row, sibling))
                        .collect(),
                ),
                index: index % arity,
            });
            index /= arity;
        }
        path
    }

    fn node(&self, row: usize, index: u64) -> Node {
        match self.rows[row].binary_search_by_key(&index, |(i, _)| *i) {
            Ok(place) => self.rows[row][place].1,
            Err(_) => (self.filler)(row, index),
        }
    }
}

/// A binary tree whose leaves repeat with a period, a power of two: all its nodes are known.
pub struct PeriodicTree {
    /// A period of each row, the leaves' first, the root's last.
    rows: Vec<Vec<Node>>,
}

impl PeriodicTree {
    /// The tree of `levels` levels over the leaves of one period.
    pub fn new(period: Vec<Node>, levels: usize, hash: impl Fn(&[Node]) -> Node) -> Self {
        let mut rows = vec![period];
        for level in 0..levels {
            let row = &rows[level];
            let parents = match row.as_slice() {
                [node] => vec![hash(&[*node, *node])],
                nodes => nodes.chunks(2).map(&hash).collect(),
            };
            rows.push(parents);
        }
        Self { rows }
    }

    /// A leaf.
    pub fn leaf(&self, index: u64) -> Node {
        self.node(0, index)
    }

    /// The root.
    pub fn root(&self) -> Node {
        self.node(self.rows.len() - 1, 0)
    }

    /// The path of a leaf, from there on.
    pub fn path(&self, leaf: u64) -> Vec<PathElement> {
        (0..self.rows.len() - 1)
            .map(|row| {
                let index = leaf >> row;
                PathElement {
                    hashes: List(vec![self.node(row, index ^ 1)]),
                    index: index & 1,
                }
            })
            .collect()
    }

    fn node(&self, row: usize, index: u64) -> Node {
        let period = &self.rows[row];
        period[(index % period.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash of any number of nodes that depends on their order.
    fn hash(nodes: &[Node]) -> Node {
        use filecoin_hashers::{sha256::Sha256Function, HashFunction};
        Sha256Function::hash(&nodes.concat()).into()
    }

    fn leaf(index: u64) -> Node {
        hash(&[[index as u8; 32]])
    }

    fn climb(leaf: Node, path: &[PathElement]) -> Node {
        path.iter().fold(leaf, |node, level| {
            let mut nodes = level.hashes.0.clone();
            nodes.insert(level.index as usize, node);
            hash(&nodes)
        })
    }

    fn full_root(mut row: Vec<Node>, arities: &[usize]) -> Node {
        for arity in arities {
            row = row.chunks(*arity).map(hash).collect();
        }
        row[0]
    }

    #[test]
    fn all_paths_of_a_sparse_tree_lead_to_one_root() {
        let arities = vec![8, 4, 2];
        let known = [0, 1, 9, 31, 32, 63].map(|i| (i, leaf(i)));
        let filler = |row: usize, index: u64| leaf(100 + 70 * row as u64 + index);
        let tree = SparseTree::new(known.to_vec(), arities, filler, hash);
        for (index, leaf) in known {
            let path = tree.path(index);
            assert_eq!(climb(leaf, &path), tree.root());
            let place = path.iter().rev().zip([2, 4, 8]);
            assert_eq!(
                place.fold(0, |i, (level, arity)| i * arity + level.index),
                index
            );
        }
    }

    #[test]
    fn a_sparse_tree_with_all_leaves_is_the_full_tree() {
        let leaves: Vec<(u64, Node)> = (0..64).map(|i| (i, leaf(i))).collect();
        let tree = SparseTree::new(leaves.clone(), vec![8, 8], |_, _| [0; 32], hash);
        let row = leaves.into_iter().map(|(_, leaf)| leaf).collect();
        assert_eq!(tree.root(), full_root(row, &[8, 8]));
    }

    #[test]
    fn a_periodic_tree_is_the_full_tree() {
        for period in [1, 2, 8, 64] {
            let leaves: Vec<Node> = (0..period).map(leaf).collect();
            let tree = PeriodicTree::new(leaves, 6, hash);
            let row = (0..64).map(|i| tree.leaf(i)).collect();
            assert_eq!(tree.root(), full_root(row, &[2; 6]));
            for index in [0, 1, 7, 8, 40, 63] {
                assert_eq!(tree.leaf(index), leaf(index % period));
                assert_eq!(climb(tree.leaf(index), &tree.path(index)), tree.root());
            }
        }
    }
}
